"""What tests of judges share."""

import pytest
from sample_corpora import build_sample_corpus


@pytest.fixture(scope="session")
def small_corpus(tmp_path_factory, worker_id):
    """Return the folder of a corpus half as large as `corpus`, for trainings whose size does not matter."""
    return build_sample_corpus(300, tmp_path_factory, worker_id)
