import pytest

from change_it import InputError
from change_it.scoring.prediction_files import read_prediction_files, systems_of

FULL = "id,headline,target,error,reranker"


@pytest.fixture
def lines(toy_test):
    return [f'{item.id},"Titolo, {item.id}",{item.target}' for item in toy_test.items]


def write(path, lines, header="id,headline,target", encoding="utf-8"):
    path.write_text("\n".join([header, *lines]) + "\n", encoding=encoding)
    return path


def read_systems(specs, test, **given):
    return systems_of(read_prediction_files(specs), test, **given)


def read_system(file, test, **given):
    [system] = read_systems([f"p={file}"], test, **given)
    return system


def test_every_fault_lists_its_ids(tmp_path, toy_test, lines):
    faulty = [*lines[2:], "a2,Doppio,gio", "x9,Chi è,gio"]
    faulty[0] = "a2,,gio"
    faulty[1] = "a3,Titolo,rep"
    faulty[2] = faulty[2].removesuffix("gio")  # a blank cell says nothing
    with pytest.raises(InputError) as error:
        read_system(write(tmp_path / "p.csv", faulty), toy_test)
    message = str(error.value)
    for part in (
        "2 ids missing: a0, a1",
        "1 id not in the test set: x9",
        "1 id duplicate: a2",
        "1 id with an empty headline: a2",
        "1 id with the wrong target: a3",
        "where a system wrote nothing, say why in a column error (it counts against the system), "
        "or delete the row",
    ):
        assert part in message


def test_a_row_with_an_error_needs_no_headline(tmp_path, toy_test, lines):
    rows = [f"{line},," for line in lines]
    rows[0] = "a0,,gio,the article is empty,"
    rows[1] = "a1,Mezzo titolo,gio,cut off,"
    headlines = read_system(write(tmp_path / "p.csv", rows, header=FULL), toy_test).headlines
    assert headlines[:3] == ("", "", "Titolo, a2")
    rows[0] = "a0,,gio,  ,"
    with pytest.raises(InputError, match="1 id with an empty headline: a0"):
        read_system(write(tmp_path / "p.csv", rows, header=FULL), toy_test)


@pytest.mark.parametrize("spec", ["p.csv", "=p.csv", "name=", "../up=p.csv", "gold=p.csv"])
def test_bad_names(spec, toy_test):
    with pytest.raises(InputError, match="--predictions"):
        read_systems([spec], toy_test)


def test_files_of_one_name_are_runs(tmp_path, toy_test, lines):
    files = [write(tmp_path / f"{name}.csv", lines) for name in "abc"]
    specs = [f"mine={files[0]}", f"other={files[1]}", f"mine={files[2]}"]
    found = {system.name: system.run_of for system in read_systems(specs, toy_test)}
    assert found == {"mine.1": "mine", "other": "", "mine.2": "mine"}
    with pytest.raises(InputError, match=r"mine\.2 would be the name of a run"):
        read_systems([*specs, f"Mine.2={files[1]}"], toy_test)


def test_a_file_needs_no_target_and_may_call_its_columns_otherwise(tmp_path, toy_test, lines):
    expected = read_system(write(tmp_path / "p.csv", lines), toy_test).headlines
    rows = [line.rpartition(",")[0] for line in lines]
    file = write(tmp_path / "q.csv", rows, header="key,output")
    (system,) = systems_of(read_prediction_files([f"mine={file}"], "id=key,headline=output"), toy_test)
    assert system.headlines == expected


def test_a_subset_is_refused_or_scored_alone(tmp_path, toy_test, lines):
    file = write(tmp_path / "p.csv", lines[3:])
    with pytest.raises(InputError, match="3 ids missing: a0, a1, a2; --shared-items scores all systems on"):
        read_system(file, toy_test)
    system = read_system(file, toy_test, needed=())
    assert system.headlines == (None, None, None, *(f"Titolo, {item.id}" for item in toy_test.items[3:]))
    with pytest.raises(InputError, match=r"8 ids missing.*1 id not in the test set: x9$"):
        read_system(write(tmp_path / "q.csv", ["x9,Titolo,gio"]), toy_test, needed=())
    with pytest.raises(InputError, match="1 id missing: a2;"):
        read_system(file, toy_test, needed={"a2", "a3"})
