"""The first motion of drives that make no homing motion: the bench's own course, on foreign rods.

The judge is the plant: where the rods truly were when something was stopped, and how fast before.
"""

import re
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from bench_plans import plan
from electro_cylinder import ElectroCylinder

import hil.stations.platform.bench.bench
from drives.bank import BankEnd, BankFeedback, BankReport, DriveGoal, DriveState
from hil.recording.reader import Recording
from hil.stations.platform.cycle.supervisor import Outcome
from safety.verdict import Check

RATE_HZ = 100.0
PERIOD_S = 1.0 / RATE_HZ
STEPS = 10
"""Steps of the plant in a cycle."""
ZERO = (0.0,) * 6
NOBODY = SimpleNamespace(asked=None)


class RodsBank:
    """Six servos that follow setpoints from cycle to cycle, with rods behind them.

    Args:
        rig: whose lengths they have.
        wrong: what is wrong, by leg 1 to 6: `ahead`, speed that is fed forward over the right one;
            `sense`, of the motor against its encoder; `slow`, time of interpolation over the cycle;
            `deaf`, the encoder that is read does not move.
        first_motion: whether the bench is told that it has to make one.
    """

    def __init__(self, rig, wrong, *, first_motion=True):
        cylinders = rig.cylinders
        self.closed_m = cylinders.closed_length_m
        self.rods = [
            ElectroCylinder(reference - closed)
            for reference, closed in zip(cylinders.reference_length_m, self.closed_m, strict=True)
        ]
        self.wrong = [{"ahead": 1.0, "sense": 1, "slow": 1, "deaf": False} | wrong.get(leg, {})
                      for leg in range(1, 7)]  # fmt: skip
        self.first_motion = first_motion
        self.start_m = [rod.place_m for rod in self.rods]
        self.demand_m = list(self.start_m)
        self.goal = DriveGoal.DISABLED
        self.homed = False
        self.told = []
        """Way from the start and speed of each rod, cycle by cycle, while it has power."""
        self.furthest_m = 0.0

    def configure(self):
        return BankReport(
            "rods", "rods:", True, ("",) * 6, first_motion=self.first_motion
        )  # told as emulated: no certificate is asked for

    def request(self, goal):
        self.goal = goal
        self.homed = self.homed or goal is DriveGoal.HOMED

    def exchange(self, command):
        powered = self.goal is DriveGoal.ENABLED
        for leg, (rod, wrong) in enumerate(zip(self.rods, self.wrong, strict=True)):
            target = rod.place_m if command is None or not powered else None
            target = command.length_m[leg] - self.closed_m[leg] if target is None else target
            self._follow(leg, rod, wrong, target, powered)
        ways = [rod.place_m - start for rod, start in zip(self.rods, self.start_m, strict=True)]
        self.furthest_m = max(self.furthest_m, *map(abs, ways))
        if powered:
            self.told.append((ways, [rod.speed_m_s for rod in self.rods]))
        state = DriveState.ENABLED if powered else DriveState.DISABLED
        lengths_m = tuple(
            closed + (start if wrong["deaf"] else rod.place_m)
            for closed, start, rod, wrong in zip(
                self.closed_m, self.start_m, self.rods, self.wrong, strict=True
            )
        )
        return BankFeedback(
            lengths_m, ZERO, ZERO, (state,) * 6, (self.homed,) * 6, (0,) * 6, (True,) * 6, command
        )

    def _follow(self, leg, rod, wrong, target_m, powered):
        demand_m = self.demand_m[leg] if powered else rod.place_m
        demand_m_s = (target_m - demand_m) / (PERIOD_S * wrong["slow"])
        for _ in range(STEPS):
            demand_m += demand_m_s * PERIOD_S / STEPS
            off_m, ahead_m_s = demand_m - rod.place_m, wrong["ahead"] * demand_m_s
            rod.step(
                PERIOD_S / STEPS,
                rod.place_m + wrong["sense"] * off_m,
                wrong["sense"] * ahead_m_s,
                powered=powered,
            )
        self.demand_m[leg] = demand_m

    def link_tally(self):
        return {}

    def close(self):
        self.request(DriveGoal.DISABLED)
        return BankEnd()


def played(monkeypatch, tmp_path, wrong=None, *, first_motion=True):
    """Play a short motion; return the result, the bank and the modes of its cycles."""
    scenario = plan(rate_hz=RATE_HZ)
    bank = RodsBank(scenario.rig, wrong or {}, first_motion=first_motion)
    monkeypatch.setattr(hil.stations.platform.bench.bench, "bank_of", lambda *_: bank)
    result = hil.stations.platform.bench.bench.run(scenario, tmp_path, stop=nullcontext(NOBODY))
    recording = Recording.open(result.recorder.path)
    modes = [recording.modes[int(mode)] for mode in recording.column("mode")]
    return result, bank, modes


def test_a_right_machine_makes_it_and_goes_on(monkeypatch, tmp_path):
    result, bank, modes = played(monkeypatch, tmp_path)
    assert result.outcome is Outcome.COMPLETED, result.reason
    for leg in range(6):
        ways = [abs(ways[leg]) for ways, _ in bank.told]
        speeds = [abs(speeds[leg]) for _, speeds in bank.told]
        short = next(k for k, way in enumerate(ways) if way > 0.0002005)
        out = next(k for k, way in enumerate(ways) if way > 0.00215)
        back = next(k for k, way in enumerate(ways) if k > out and way < 0.00002)
        assert max(speeds[:short]) < 1.3 * 0.0001
        assert max(speeds[:back]) < 1.3 * 0.001
        assert max(ways[:back]) < 0.00225, "each leg went the whole way, and back before it rises"
    assert modes.index("ENGAGED") - modes.index("ENGAGING") > 5.0 / PERIOD_S
    assert any("out and back" in event.message for event in result.events)


@pytest.mark.parametrize(
    ("wrong", "way_max_m", "words"),
    [
        ({"ahead": 10.0}, 0.002, "too fast; its unit of speed"),
        ({"ahead": 60.0}, 0.002, "too fast; its unit of speed"),
        ({"ahead": 1000.0}, 0.010, "too fast; its unit of speed"),
        ({"ahead": -60.0}, 0.002, "wrong way; do motor and encoder"),
        ({"sense": -1}, 0.002, "do motor and encoder|too fast"),
        ({"slow": 10}, 0.002, "too slow; its unit of speed .* or of time"),
        ({"deaf": True}, 0.002, "it does not move, or another encoder is read"),
    ],
    ids=str,
)
def test_a_wrong_machine_is_stopped_within_a_short_way_and_named(
    monkeypatch, tmp_path, wrong, way_max_m, words
):
    result, bank, modes = played(monkeypatch, tmp_path, {3: wrong})
    assert result.outcome is Outcome.TRIPPED
    assert bank.furthest_m <= way_max_m
    assert "ENGAGED" not in modes
    assert "PARKING" not in modes
    assert bank.goal is DriveGoal.DISABLED
    found = [v for _, v in result.violations if v.check is Check.FIRST_MOTION]
    assert {v.leg for v in found} == {3}
    assert result.reason.startswith("leg 3: first motion: moved ")
    assert re.search(words, result.reason), result.reason


@pytest.mark.parametrize("wrong", [{"ahead": 60.0}, {"ahead": 1000.0}, {"deaf": True}], ids=str)
def test_positive_control_without_it_the_same_machine_gets_further(monkeypatch, tmp_path, wrong):
    _, bank, _ = played(monkeypatch, tmp_path, {3: wrong}, first_motion=False)
    assert bank.furthest_m > 0.002


@pytest.mark.parametrize("ahead", [0.0, 2.0])
def test_a_servo_without_feed_forward_or_nearly_right_goes_on(monkeypatch, tmp_path, ahead):
    wrong = {leg: {"ahead": ahead} for leg in range(1, 7)}
    result, _, _ = played(monkeypatch, tmp_path, wrong)
    assert result.outcome is Outcome.COMPLETED, result.reason


def test_a_power_cut_follows_at_once_and_not_a_ramp(monkeypatch, tmp_path):
    _, bank, modes = played(monkeypatch, tmp_path, {3: {"ahead": 1000.0}})
    assert modes.count("QSTOP") <= 2
    assert modes[-1] in ("FAULT", "IDLE", "OFF")
    assert all(rod.speed_m_s == 0.0 for rod in bank.rods)
