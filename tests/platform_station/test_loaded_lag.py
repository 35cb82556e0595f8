"""Frames that are late, on the loaded twin: found, and told from what a load does to the servos.

Runs on simulated drives that carry a cabin of 300 kg give commanded and measured lengths. They are
played to the watch as they are, and with the measured ones of some cycles ago: nothing that is
measured comes back into the commands of a run without an operator.
"""

from pathlib import Path
from types import SimpleNamespace

import pytest

from hil.stations.platform.bench.bench import run
from hil.stations.platform.cycle.supervisor import Outcome
from hil.stations.platform.plan.scenario import plan_from_table
from safety import gate as gate_module
from safety.lag import LagWatch
from safety.verdict import Feedback

pytestmark = pytest.mark.pure_build

ON = (True,) * 6
STILL = (0.0,) * 6
SURGE = ({"axis": "x", "amplitude_m": 0.008, "frequency_hz": 4.0},)
"""What a rig of 0.36 t does with 5 m/s^2: forces up to two thirds of what the drives have."""
SLOW = (
    {"axis": "z", "amplitude_m": 0.08, "frequency_hz": 0.3},
    {"axis": "alpha", "amplitude_deg": 3.0, "frequency_hz": 0.4},
)


def plan(world, rate_hz, terms, duration_s=4.0):
    motion = {"kind": "multi_sine", "duration_s": duration_s, "terms": list(terms)}
    table = {"name": "lag", "rig": "paper", "rate_hz": rate_hz, "motion": motion, "world": world}
    return plan_from_table(table, Path("test"))


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A run's result, its gate's limits, and what its watch was given cycle by cycle; by plan."""
    kept = {}

    def play(world, rate_hz, terms):
        key = (world, rate_hz, terms is SURGE)
        if key not in kept:
            heard = SimpleNamespace(cycles=[])

            class Listening(LagWatch):
                def __init__(self, limits):
                    heard.limits = limits
                    super().__init__(limits)

                def step(self, feedback, commanded_m):
                    heard.cycles.append((feedback, commanded_m))
                    return super().step(feedback, commanded_m)

            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(gate_module, "LagWatch", Listening)
                heard.result = run(plan(world, rate_hz, terms), tmp_path_factory.mktemp("runs"))
            kept[key] = heard
        return kept[key]

    return play


def found_s(heard, late, onset_s, legs=range(6)):
    """From when these legs become late by some cycles to the first objection [s]; None if none."""
    watch, period_s = LagWatch(heard.limits), heard.limits.period_s
    moving = [k for k, (_, at) in enumerate(heard.cycles) if at is not None]
    onset = moving[0] + round(onset_s / period_s)
    for k, (feedback, commanded_m) in enumerate(heard.cycles):
        if feedback is not None and k >= onset:
            old = heard.cycles[k - late][0].length_m
            length_m = [old[i] if i in legs else x for i, x in enumerate(feedback.length_m)]
            feedback = Feedback(tuple(length_m), STILL, ON, ON, (0,) * 6, ON)
        if watch.step(feedback, commanded_m):
            return (k - onset) * period_s, watch
    return None, watch


@pytest.mark.parametrize("rate_hz", [500.0, 250.0])
def test_a_surge_of_four_hertz_completes_with_a_cabin_of_300_kg(played, rate_hz):
    heard = played("paper_cabin", rate_hz, SURGE)
    assert heard.result.outcome is Outcome.COMPLETED, heard.result.reason
    assert found_s(heard, 0, 0.0)[0] is None, "what is played here is what the gate saw"


@pytest.mark.parametrize("rate_hz", [500.0, 250.0])
@pytest.mark.parametrize("world", ["", "paper_cabin"])
@pytest.mark.parametrize("legs", [(0, 1, 2, 3, 4, 5), (2,)])
def test_frames_late_by_two_and_three_cycles_are_found_as_soon_with_a_load(
    played, world, rate_hz, legs
):
    """As the manual says: one leg alone that turns round, at worst 0.4 s; at speed far sooner."""
    heard = played(world, rate_hz, SLOW)
    assert heard.result.outcome is Outcome.COMPLETED, heard.result.reason
    for onset_s in (5.6, 6.1, 6.9):
        two_s, _ = found_s(heard, 2, onset_s, legs)
        three_s, _ = found_s(heard, 3, onset_s, legs)
        assert two_s is not None
        assert two_s <= 0.43
        assert three_s is not None
        assert three_s <= 0.1


@pytest.mark.parametrize("world", ["", "paper_cabin"])
def test_frames_late_by_one_cycle_are_told_to_within_half_a_cycle(played, world):
    """One cycle is within what a lag may grow by; the lag that is recorded has it."""
    heard = played(world, 250.0, SLOW)
    period_s = heard.limits.period_s
    none_s, before = found_s(heard, 0, 5.6)
    one_s, after = found_s(heard, 1, 5.6)
    assert none_s is one_s is None
    for new_s, old_s in zip(after.lag_s, before.lag_s, strict=True):
        assert abs(new_s - old_s - period_s) <= 0.5 * period_s


def test_in_a_surge_of_four_hertz_three_late_cycles_of_all_legs_are_found(played):
    heard = played("paper_cabin", 500.0, SURGE)
    for onset_s in (5.6, 6.1, 6.9):
        three_s, _ = found_s(heard, 3, onset_s)
        assert three_s is not None
        assert three_s <= 0.5
