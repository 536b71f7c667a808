"""The labels of the page: the same in both languages, each used, and each that is used is there."""

import re
from pathlib import Path

from change_it.space import labels

SOURCE = Path(labels.__file__).parent


def test_both_languages_have_the_labels_that_the_tabs_use():
    english, italian = (labels.LABELS.translations[language] for language in ("en", "it"))
    assert set(english) == {key for key in italian if "." not in key}
    sources = "".join(path.read_text(encoding="utf-8") for path in SOURCE.glob("*_tab.py"))
    sources += (SOURCE / "parts.py").read_text(encoding="utf-8") + (SOURCE / "app.py").read_text("utf-8")
    used = {key for call in re.findall(r"label\(([^)]*)\)", sources) for key in re.findall(r'"(\w+)"', call)}
    assert {f"ci-{key}" for key in used} == set(english)  # no key may be a value of a component
    assert [key for key in english if english[key] == italian[key]] == []
