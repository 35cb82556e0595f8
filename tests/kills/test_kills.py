"""Each process of a led run is killed and stopped in each mode: nothing starts, nothing is lost.

The rods are those of the foreign rack. Mode, moment and length of a stop are drawn from the seed;
the modes of one process and signal are shuffled, then begun anew, so that in the full count each
comes up twice at least.
"""

import itertools
import random
import re
from collections.abc import Iterator
from pathlib import Path
from signal import SIGKILL, SIGSTOP

import pytest
from campaign import SHARE, count
from kill_judges import judged
from kill_traces import MODES, Case
from killed_run import PROCESSES, SpoiltError, prepare, strike
from rack_bench import CHANCE, needs_wires
from reactions import MANUAL, REACTIONS, plain, reaction_to

SEED = 1205
TIMES = 20
ATTEMPTS = 4
GROUPS = [name for name in PROCESSES if name != "standby"]
"""The recorder and its standby are struck by turns."""


def drawn(seed: int) -> list[Case]:
    """The whole campaign, in rounds of one case for each process and signal."""
    rounds: list[list[Case]] = [[] for _ in range(TIMES)]
    for process, number in itertools.product(GROUPS, (SIGSTOP, SIGKILL)):
        draw = random.Random(f"{seed} {process} {number.name}")
        modes = _shuffled_again_and_again(draw)
        for turn, cases in enumerate(rounds):
            name = "standby" if process == "recorder" and turn % 2 else process
            cases.append(Case(name, number, next(modes), 0.0, 0.0).drawn_anew(draw))
    return [case for cases in rounds for case in cases]


def _shuffled_again_and_again(draw: random.Random) -> Iterator[str]:
    while True:
        yield from draw.sample(MODES, len(MODES))


CASES = drawn(SEED)
NOW = CASES[: count(len(CASES)) if SHARE > 0.05 else 1]
"""A case takes 10 to 20 s: a small share is one."""


def name_of(case: Case) -> str:
    return f"{CASES.index(case)}-{case.process}-{case.number.name}-{case.mode}"


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("kills"))


@needs_wires
@pytest.mark.real_time
@pytest.mark.campaign
@pytest.mark.timeout(600)
@pytest.mark.parametrize("case", NOW, ids=name_of)
def test_a_process_that_is_struck_starts_nothing_and_is_not_lost_silently(
    scenario: Path, tmp_path: Path, case: Case
) -> None:
    print("seed", SEED)
    draw = random.Random(name_of(case))
    reaction = reaction_to(case.process, case.number)
    spoilt: list[str] = []
    for attempt in range(ATTEMPTS):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        try:
            seen = strike(case, scenario, folder)
        except SpoiltError as error:
            spoilt.append(str(error))
        else:
            wrong = judged(seen, reaction)
            if not wrong or not machine_was_late(seen, reaction.told):
                assert not wrong, f"{wrong} {seen}"
                return
            spoilt.append(f"{wrong}")
        case = case.drawn_anew(draw)
    pytest.fail(f"each of {ATTEMPTS} moments was spoilt: {spoilt}")


def machine_was_late(seen, expected: str) -> bool:
    """Whether the run tripped on the machine's own lateness, which is not what it was struck by."""
    reasons = [verdict["message"] for verdict in seen.result.get("verdicts", [])]
    reasons = [text for text in reasons if not (expected and re.search(expected, text))]
    return any(CHANCE.search(text) or text == "control: silent" for text in reasons)


def test_each_pair_of_process_and_mode_comes_up_twice_and_each_signal_twenty_times():
    for process in GROUPS:
        names = {process, "standby"} if process == "recorder" else {process}
        ours = [case for case in CASES if case.process in names]
        for number in (SIGKILL, SIGSTOP):
            struck = [case.mode for case in ours if case.number is number]
            assert len(struck) == TIMES
            assert all(struck.count(mode) >= 2 for mode in MODES), process


@pytest.mark.parametrize("reaction", REACTIONS, ids=lambda each: each.process)
def test_the_manual_says_what_is_expected(reaction):
    assert plain(reaction.manual) in plain(MANUAL.read_text(encoding="utf-8"))


def test_each_signal_to_each_process_has_one_reaction():
    for process, number in itertools.product(PROCESSES, (SIGKILL, SIGSTOP)):
        reaction_to(process, number)
