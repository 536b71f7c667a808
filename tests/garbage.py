"""Spare tests a search through the libraries that other tests have loaded."""

import gc

import pytest


@pytest.fixture(autouse=True, scope="module")
def libraries_are_no_garbage():
    """Look for garbage in no library that is loaded already: each training looks through all there is."""
    gc.freeze()
