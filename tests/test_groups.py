"""Tests that share windows, machines or slow fixtures stay together, on one worker."""

import pytest


@pytest.mark.xdist_group("groups")
def test_a_group_is_one_piece_of_work(request):
    """Releases of pytest and pytest-xdist that do not fit together lose groups without a word."""
    if not request.config.getoption("loadgroup", False):
        pytest.skip("not distributed by groups (--dist loadgroup)")
    assert request.node.nodeid.endswith("@groups")
