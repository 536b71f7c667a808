import pytest
from scoring_fakes import FakeJudges, toy_test_set, write_toy_corpus


@pytest.fixture
def fake_judges():
    return FakeJudges()


@pytest.fixture
def toy_test():
    return toy_test_set()


@pytest.fixture(scope="session")
def toy_corpus(tmp_path_factory):
    return write_toy_corpus(tmp_path_factory.mktemp("toy") / "corpus")
