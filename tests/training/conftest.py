"""What tests that train share."""

import gc

import pytest


@pytest.fixture(autouse=True, scope="module")
def libraries_are_no_garbage():
    """Look for garbage in no library that earlier tests have loaded: each training looks for all there is."""
    gc.freeze()
