"""Faults put into the gate on purpose: each named one is found by a test (`mutants.py`)."""

import random
from pathlib import Path

import pytest
from campaign import count
from mutants import MUTANTS, PACKAGES, ROOT, TESTS, Mutant, Mutation

pytestmark = [pytest.mark.campaign, pytest.mark.timeout(7200)]
SEED = 12


@pytest.fixture(scope="module")
def mutation(tmp_path_factory):
    return Mutation(tmp_path_factory.mktemp("mutants"))


def chosen():
    """As many as the campaign's share; which ones depends on the seed alone."""
    return random.Random(SEED).sample(MUTANTS, count(len(MUTANTS)))


def test_there_are_at_least_ninety_and_each_has_a_name_of_its_own():
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 90


def test_each_has_its_place():
    """In every run: a file that has changed has to take its mutants along."""
    texts = {mutant.file: (ROOT / mutant.file).read_text(encoding="utf-8") for mutant in MUTANTS}
    places = {mutant.name: texts[mutant.file].count(mutant.old) for mutant in MUTANTS}
    assert {name: found for name, found in places.items() if found != 1} == {}


def test_the_tests_that_look_at_them_are_there():
    """In every run: a mutant without its tests would end its pytest, not die."""
    named = {test for tests in TESTS.values() for test in tests}
    assert {test for test in named if not (ROOT / "tests" / test).is_file()} == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_the_copy_is_what_the_tests_import(mutation, package):
    assert mutation.imported(package).is_relative_to(mutation.folder)


def test_what_changes_nothing_survives(mutation):
    """The judgement is not bought by tests that fail in the copy anyway."""
    same = Mutant(
        "none", "safety/estop.py", "found: list[Violation] = []", "found = list[Violation]()"
    )
    status, end = mutation.verdict(same)
    assert status == 0, end


@pytest.mark.parametrize("mutant", chosen(), ids=lambda mutant: mutant.name)
def test_the_mutant_dies(mutation, mutant):
    print("seed", SEED)
    status, end = mutation.verdict(mutant)
    assert status in (0, 1), f"pytest ended with {status}: {end}"
    assert status == 1, f"{mutant.file}: it survives"


def test_a_mutant_that_is_none_is_refused(mutation):
    with pytest.raises(LookupError, match="0 places"):
        mutation.verdict(Mutant("x", "safety/estop.py", "no such text", ""))
    assert (Path(mutation.folder) / "safety/estop.py").exists()
