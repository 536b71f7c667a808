import pytest

from tools import versions

PAGE = "# Start\n\n<!-- versions: table -->\n<!-- /versions -->\n\n## Next\n"


def test_each_run_fills_its_column_and_keeps_the_other():
    page = versions.with_versions(PAGE, "lowest", {"Python": "3.11.7", "torch": "2.13.0"})
    assert "| torch | 2.13.0 | not run |" in page
    page = versions.with_versions(page, "newest", {"Python": "3.13.0", "torch": "2.14.1"})
    assert page.startswith(
        "# Start\n\n<!-- versions: table -->\n\n| package | lowest | newest |\n| --- | --- | --- |\n"
    )
    assert page.endswith("| torch | 2.13.0 | 2.14.1 |\n\n<!-- /versions -->\n\n## Next\n")
    assert versions.read_table(page)["lowest"] == {"Python": "3.11.7", "torch": "2.13.0"}
    again = versions.with_versions(page, "newest", {"Python": "3.13.0", "torch": "2.14.1"})
    assert again == page


def test_a_page_without_marks_is_refused():
    with pytest.raises(ValueError, match="no lines <!-- versions: table -->"):
        versions.with_versions("# Start\n", "lowest", {})


def test_packages_that_users_install_have_rows():
    found = versions.installed_versions()
    assert {"Python", "transformers", "torch", "gradio", "peft", "ray", "gensim"} <= found.keys()
    assert not {"pytest", "ruff", "mkdocs-material"} & found.keys()
    assert not any("+" in version for version in found.values())
