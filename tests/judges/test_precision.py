import pytest
from scoring_fakes import write_stand_ins
from tiny_generators import save_generator

from change_it.cli import main
from change_it.errors import InputError
from change_it.scoring.compute import compute_compliancy
from change_it.scoring.judges import Judges


@pytest.fixture
def asked(monkeypatch):
    """What judges are loaded with; there are none."""
    found = {}

    def refuse(name, **options):
        found.update(options)
        raise InputError("no judges here")

    monkeypatch.setattr(Judges, "from_pretrained", refuse)
    return found


@pytest.mark.parametrize(
    "command",
    [
        ["score", "--corpus", "CORPUS", "--judges", "FOLDER"],
        ["audit", "--corpus", "CORPUS", "--judges", "FOLDER", "--out", "FOLDER-audit"],
        ["transfer", "--generator", "GENERATOR", "--corpus", "CORPUS", "--rerank", "FOLDER"],
    ],
    ids=["score", "audit", "transfer"],
)
def test_every_command_loads_its_judges_with_the_precision_asked(command, corpus, tmp_path, asked):
    generator = save_generator(tmp_path / "sum", to="faro", outlets=("colle", "faro"))
    names = {"CORPUS": corpus, "GENERATOR": str(generator)}
    judges = str(write_stand_ins(tmp_path / "judges"))
    command = [names.get(word, word).replace("FOLDER", judges) for word in command]
    command += ["--out", str(tmp_path / "new.csv")] if command[0] == "transfer" else []
    assert main([*command, "--precision", "bf16", "--device", "cpu"]) == 2
    assert asked == {"precision": "bf16", "device": "cpu"}


def test_so_does_the_python_function(asked):
    texts = (["Ponte crollato"], ["Crolla il ponte"], ["Il ponte è crollato."], ["colle"])
    with pytest.raises(InputError):
        compute_compliancy(*texts, "judges", precision="bf16")
    assert asked["precision"] == "bf16"
