"""Faults drawn by chance over the gate, its process, its banks and the governor: tests find them.

`make test-long` draws all; a share draws the first ones. One that changes nothing that anybody
could see is named with the reason.
"""

import re

import pytest
from campaign import count
from drawn_mutants import draw
from mutants import ROOT, TESTS, Mutation

pytestmark = [pytest.mark.campaign, pytest.mark.timeout(3 * 3600)]
SEED = 30
DRAWN = 60
SURVIVORS = 2
FILES = [
    file for file in TESTS
    if file.startswith(("safety/", "hil/stations/platform/gate", "platform6dof/cueing/governor"))
    or file.endswith("cycle/gated_bank.py")
]  # fmt: skip
WIDER = ("safety", "gate", "platform_station", "arm_station", "world_station", "cueing")
"""Folders whose tests are run where those of the file find nothing."""
_GOVERNOR = "platform6dof/cueing/governor"
EQUIVALENT = {
    f"{_GOVERNOR}_stop.py '*' -> '/': by_turn = reach / scale * (lean + turn)":
        "a far margin is only computed",
    f"{_GOVERNOR}_near.py '<' -> '<=': measured = measured or chosen[n] < 28":
        "places are computed and not used",
    f"{_GOVERNOR}_stop.py '6' -> '7': lengths, right = np.empty(6), np.empty((6, 1))":
        "a longer array, its end unused",
    f"{_GOVERNOR}_target.py '6' -> '7': q, v = state[Q : Q + 6], state[V : V + 6]":
        "a longer view, its end unused",
    f"{_GOVERNOR}_state.py '6' -> '7': place(table, q, packed, state[LENGTH : LENGTH + 6], jac)":
        "a longer array, its end unused",
    "safety/robot_gate.py '0.0' -> '1.0': self._left_s = 0.0": "a stop sets it before it is read",
    "safety/checks.py '<=' -> '<': low <= length <= high":
        "at an end, each path breaks another rule",
    f"{_GOVERNOR}.py '6.0' -> '60.0': "
    "EnvelopeLimits(0.7, 0.7, 0.08, 0.1, 0.5 * six, 6.0 * six, 0.005),":
        "numbers with which it is compiled",
    f"{_GOVERNOR}_stop.py '*' -> '/': "
    "findings[BAD_VALUE] = pose[j, 1] + pose[j, 0] * margins[j]": "a sign, 1 or -1",
    "hil/stations/platform/cycle/gated_bank.py 'False' -> 'True': reset: bool = False,":
        "each caller says it",
}  # fmt: skip
"""Drawn mutants that change nothing that anybody could see, by file, change and line, and why."""
LINE_NUMBER = re.compile(r":\d+(?= )")


def is_equivalent(mutant):
    return LINE_NUMBER.sub("", mutant.name, count=1) in EQUIVALENT


def survives(mutation, mutant):
    for tests in (None, WIDER):
        status, end = mutation.verdict(mutant, tests)
        if "errors during collection" in end or "error during collection" in end:
            return False  # its module does not load any more
        assert status in (0, 1), f"{mutant.name}: pytest ended with {status}: {end}"
        if status == 1:
            return False
    return True


def test_what_is_drawn_depends_on_the_seed_alone():
    names = [mutant.name for mutant in draw(FILES, DRAWN, SEED)]
    assert names == [mutant.name for mutant in draw(FILES, DRAWN, SEED)]
    assert len(set(names)) > 0.9 * DRAWN
    assert {name.partition(":")[0] for name in names} <= set(FILES)


def test_what_is_let_live_is_in_its_file():
    """A line that has changed is judged anew."""
    for named in EQUIVALENT:
        file, _, change = named.partition(" ")
        assert change.partition(": ")[2] in (ROOT / file).read_text(encoding="utf-8"), named
    assert any(file.endswith("gated_bank.py") for file in FILES)


def test_the_tests_find_what_is_drawn(tmp_path):
    mutation = Mutation(tmp_path)
    drawn = list(draw(FILES, DRAWN, SEED))[: count(DRAWN)]
    print("seed", SEED)
    left = [m.name for m in drawn if not is_equivalent(m) and survives(mutation, m)]
    assert len(left) <= SURVIVORS, left
