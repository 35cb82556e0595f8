"""Faults drawn by chance over the gate, its process, its banks and the governor: tests find them.

`make test-long` draws all; a share draws the first ones. One that changes nothing that anybody
could see is named with the reason.
"""

import pytest
from campaign import count
from drawn_mutants import draw
from mutants import TESTS, Mutation

pytestmark = [pytest.mark.campaign, pytest.mark.timeout(3 * 3600)]
SEED = 30
DRAWN = 60
SURVIVORS = 2
FILES = [
    file for file in TESTS
    if file.startswith(("safety/", "hil/stations/platform/gate", "platform6dof/cueing/governor"))
    or file.endswith("gated.py")
]  # fmt: skip
WIDER = ("safety", "gate", "platform_station", "arm_station", "world_station", "cueing")
"""Folders whose tests are run where those of the file find nothing."""
EQUIVALENT = {
    "platform6dof/cueing/governor_stop.py:140 '*' -> '/'": "a far margin is only computed",
    "platform6dof/cueing/governor_near.py:44 '<' -> '<='": "places are computed and not used",
    "platform6dof/cueing/governor_stop.py:101 '6' -> '7'": "a longer array, its end unused",
    "platform6dof/cueing/governor_target.py:87 '6' -> '7'": "a longer view, its end unused",
    "platform6dof/cueing/governor_state.py:33 '6' -> '7'": "a longer array, its end unused",
    "safety/robot_gate.py:88 '0.0' -> '1.0'": "a stop sets it before it is read",
    "safety/checks.py:66 '<=' -> '<'": "at an end, each way of moving breaks another rule",
    "platform6dof/cueing/governor.py:272 '6.0' -> '60.0'": "numbers with which it is compiled",
    "platform6dof/cueing/governor_stop.py:179 '*' -> '/'": "a sign, 1 or -1",
    "hil/stations/platform/cycle/gated_bank.py:185 'False' -> 'True'": "each caller says it",
}
"""Names of drawn mutants that change nothing that anybody could see, and why."""


def survives(mutation, mutant):
    for tests in (None, WIDER):
        status, end = mutation.verdict(mutant, tests)
        assert status in (0, 1), f"{mutant.name}: pytest ended with {status}: {end}"
        if status == 1:
            return False
    return True


def test_what_is_drawn_depends_on_the_seed_alone():
    names = [mutant.name for mutant in draw(FILES, DRAWN, SEED)]
    assert names == [mutant.name for mutant in draw(FILES, DRAWN, SEED)]
    assert len(set(names)) > 0.9 * DRAWN
    assert {name.partition(":")[0] for name in names} <= set(FILES)


def test_the_tests_find_what_is_drawn(tmp_path):
    mutation = Mutation(tmp_path)
    drawn = list(draw(FILES, DRAWN, SEED))[: count(DRAWN)]
    print("seed", SEED)
    left = [m.name for m in drawn if m.name not in EQUIVALENT and survives(mutation, m)]
    assert len(left) <= SURVIVORS, left
