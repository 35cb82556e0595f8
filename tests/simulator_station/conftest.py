"""A distribution of somebody else's live source, for rides of tests."""

import pytest
import ride_bench


@pytest.fixture
def scripted(tmp_path, monkeypatch):
    """Installs it, as a folder on the path."""
    ride_bench.install(tmp_path, monkeypatch)
