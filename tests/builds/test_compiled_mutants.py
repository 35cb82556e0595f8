"""Faults put into compiled modules on purpose are found, by the tests that find them in Python."""

import pytest
from campaign import share_of
from compiled_mutants import FIVE, CompiledMutation
from two_builds import both_builds

pytestmark = [both_builds, pytest.mark.campaign, pytest.mark.timeout(7200)]


def test_they_are_of_five_files():
    assert len({mutant.file for mutant in FIVE}) == 5


@pytest.mark.parametrize("mutant", share_of(FIVE), ids=lambda mutant: mutant.name)
def test_the_compiled_mutant_dies(tmp_path, mutant):
    mutation = CompiledMutation(tmp_path, mutant.file)
    status, end = mutation.sound()
    assert status == 0, f"{mutant.file} does not pass as it is: {end}"
    status, end = mutation.verdict(mutant)
    assert status in (0, 1), f"pytest ended with {status}: {end}"
    assert status == 1, f"{mutant.file}: it survives"
