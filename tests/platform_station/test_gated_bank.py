"""The only way to a drive leads through a verdict."""

import ast
import dataclasses
from pathlib import Path

import pytest
from bench_plans import plan

import hil
from drives.bank import BankEnd, BankFeedback, BankReport, DriveGoal, DriveState, LinkLostError
from hil.machines.rig.machine import gate_limits
from hil.stations.platform.cycle.gated_bank import GatedBank
from hil.timing.clock import Tick
from hil_common.legs import LegTarget
from safety.gate import Gate
from safety.modes import Mode, Request
from safety.verdict import Check, Setpoint

PERIOD_S = 0.004
ZERO = (0.0,) * 6
LENGTHS = (0.9, 0.91, 0.92, 0.93, 0.94, 0.95)
ROOT = Path(hil.__file__).parent


class SpyBank:
    """Drives that do at once what they are told, and note it."""

    def __init__(self):
        self.sent = []
        self.goal = DriveGoal.DISABLED
        self.homed = False
        self.length_m = LENGTHS
        self.closed = 0
        self.inputs = None
        self.changes = {}
        self.error = None

    def configure(self):
        return BankReport("spy", "sim:", True, ("",) * 6)

    def request(self, goal):
        self.goal = goal
        self.homed = self.homed or goal is DriveGoal.HOMED

    def exchange(self, command):
        if self.error is not None:
            raise self.error
        self.sent.append(command)
        if command is not None:
            self.length_m = command.length_m
        state = DriveState.ENABLED if self.goal is DriveGoal.ENABLED else DriveState.DISABLED
        feedback = BankFeedback(
            self.length_m, ZERO, ZERO, (state,) * 6, (self.homed,) * 6, (0,) * 6, (True,) * 6,
            command, self.inputs,
        )  # fmt: skip
        return feedback._replace(**self.changes)

    def link_tally(self):
        return {"cycles": len(self.sent), "missing": (0, 0, 0, 0, 0, 0)}

    def close(self):
        self.closed += 1
        return BankEnd(self.link_tally())


class Drive:
    """Steps a gated spy bank cycle by cycle."""

    def __init__(self, bank=None, **limits):
        self.bank = bank or SpyBank()
        self.gate = Gate(dataclasses.replace(gate_limits(plan().rig, PERIOD_S), **limits))
        self.gated = GatedBank(self.gate, self.bank)
        self.gated.open()
        self.index = 0
        self.verdicts = []

    def cycle(self, asked=None, *requests):
        tick = Tick(self.index, self.index * PERIOD_S, PERIOD_S, 0.0)
        self.index += 1
        self.verdicts.append(self.gated.cycle(tick, asked, requests).verdict)
        return self.verdicts[-1]

    def until(self, mode, *requests):
        for _ in range(200):
            if self.cycle(None, *requests).mode is mode:
                return
        raise AssertionError(f"never {mode}: {self.verdicts[-1]}")

    def engage(self):
        self.until(Mode.IDLE, Request.CONFIGURED)
        self.until(Mode.HOMING, Request.HOME)
        self.until(Mode.STANDBY)
        self.until(Mode.ENGAGING, Request.ENGAGE)


def six(value, *legs, other):
    return tuple(value if leg in legs else other for leg in range(1, 7))


def moved(target: LegTarget, index: int, by_m: float) -> Setpoint:
    return Setpoint(index, tuple(x + by_m for x in target.length_m), (by_m / PERIOD_S,) * 6)


def test_every_command_is_the_verdict_of_its_cycle():
    drive = Drive()
    drive.engage()
    for step in (1e-5, 3e-5, 5e-5, 0.5, 1e-5):
        drive.cycle(moved(drive.gate.commanded, drive.index, step))
    assert drive.bank.sent.pop(0) is None  # the first feedback, before any verdict
    assert len(drive.bank.sent) == len(drive.verdicts)
    for command, verdict in zip(drive.bank.sent, drive.verdicts, strict=True):
        allowed = verdict.allowed
        assert (command is None) == (allowed is None)
        if command is not None:
            assert (command.length_m, command.speed_m_s) == (allowed.length_m, allowed.speed_m_s)
    assert any(verdict.mode is Mode.CSTOP for verdict in drive.verdicts), "0.5 m was blocked"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0.5, 2.0])
def test_a_bad_setpoint_never_reaches_the_bank(value):
    drive = Drive()
    drive.engage()
    drive.cycle(moved(drive.gate.commanded, drive.index, 0.0))
    lengths = (*LENGTHS[:3], value, *LENGTHS[4:])
    drive.cycle(Setpoint(drive.index, lengths, ZERO))
    sent = [command.length_m[3] for command in drive.bank.sent if command is not None]
    assert sent
    assert all(abs(length - LENGTHS[3]) < 1e-9 for length in sent)


def test_setpoints_before_engaging_move_nothing():
    drive = Drive()
    for request in (Request.CONFIGURED, Request.HOME, Request.RISEN, Request.PARK):
        drive.cycle(Setpoint(drive.index, LENGTHS, ZERO), request)
    assert all(command is None for command in drive.bank.sent)


def test_the_drives_hear_of_a_goal_once_and_follow_the_mode():
    drive = Drive()
    assert drive.bank.goal is DriveGoal.DISABLED
    drive.until(Mode.IDLE, Request.CONFIGURED)
    drive.until(Mode.HOMING, Request.HOME)
    assert drive.bank.goal is DriveGoal.HOMED
    drive.until(Mode.STANDBY)
    drive.cycle()
    assert drive.bank.goal is DriveGoal.ENABLED


def test_no_other_place_of_the_bench_exchanges_with_a_bank():
    """`exchange` and `request` of a bank are called in the gated bank only.

    A cueing test looks at simulated cylinders alone, which no link leads away from.
    """
    found = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if "exchange" in (text := path.read_text())  # to parse all files takes seconds
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and node.attr == "exchange"
    }
    alone = "stations/simulator/cue/simulated_drives.py"
    assert '"drives": "sim:"' in (ROOT / alone).read_text()
    assert found == {"stations/platform/cycle/gated_bank.py", alone}


CLOSED = (8, 8, 0, 0, 0, 0)
"""Interlock inputs of drives 1 and 2."""


def test_the_emergency_stop_is_read_from_two_drives():
    drive = Drive(estop_fitted=True)
    drive.bank.inputs = CLOSED
    drive.engage()
    for inputs in [(0, 8, 0, 0, 0, 0), (8, 0, 0, 0, 0, 0), (7, 8, 15, 15, 15, 15)]:
        drive = Drive(estop_fitted=True)
        drive.bank.inputs = CLOSED
        drive.engage()
        drive.bank.inputs = inputs
        drive.cycle()
        assert drive.cycle().mode is Mode.QSTOP
        assert drive.bank.goal is DriveGoal.QUICK_STOPPED
        drive.bank.inputs = CLOSED
        drive.until(Mode.FAULT)
        assert drive.bank.sent[-1] is None


def test_inputs_that_are_not_read_are_no_closed_emergency_stop():
    drive = Drive(estop_fitted=True)
    drive.until(Mode.FAULT, Request.CONFIGURED)
    assert "not read" in str(drive.verdicts[-1].faults[0])


def engaged_and_moving(inputs=None, **limits):
    drive = Drive(**limits)
    drive.bank.inputs = inputs
    drive.engage()
    for step in (1e-5, 3e-5, 5e-5):
        drive.cycle(moved(drive.gate.commanded, drive.index, step))
    return drive


UNKNOWN = DriveState.UNKNOWN
ENABLED = DriveState.ENABLED


def test_row_18_a_drive_that_fell_silent_stops_the_other_five_and_is_not_waited_for():
    drive = engaged_and_moving()
    nan = float("nan")
    drive.bank.changes = {
        "state": six(UNKNOWN, 3, other=ENABLED),
        "speed_m_s": six(nan, 3, other=0.0),
    }
    drive.cycle(moved(drive.gate.commanded, drive.index, 5e-5))
    verdict = drive.cycle(moved(drive.gate.commanded, drive.index, 5e-5))
    assert verdict.mode is Mode.CSTOP
    assert verdict.allowed is not None, "the five go on along the path"
    assert {fault.leg for fault in verdict.faults} == {3}
    drive.until(Mode.FAULT)
    for _ in range(100):
        drive.cycle()
    assert drive.bank.goal is DriveGoal.DISABLED


def test_rows_18_and_20_two_drives_are_two_causes():
    drive = engaged_and_moving()
    drive.bank.changes = {
        "state": six(UNKNOWN, 3, 5, other=ENABLED),
        "homed": six(False, 5, other=True),
    }
    drive.cycle()
    assert drive.cycle().mode is Mode.QSTOP
    assert drive.bank.goal is DriveGoal.QUICK_STOPPED


def test_a_bank_that_tells_its_failure_is_quick_stopped_with_its_words():
    drive = Drive()
    drive.engage()
    drive.cycle(moved(drive.gate.commanded, drive.index, 1e-5))
    drive.bank.changes = {"failed": "bank 'x': no current"}
    drive.cycle(moved(drive.gate.commanded, drive.index, 1e-5))
    verdict = drive.cycle(moved(drive.gate.commanded, drive.index, 1e-5))
    assert verdict.mode is Mode.QSTOP
    assert str(verdict.faults[0]) == "drive: bank 'x': no current"
    assert drive.bank.goal is DriveGoal.QUICK_STOPPED


def test_row_20_a_drive_that_came_back_from_a_reboot_is_not_enabled_again():
    drive = engaged_and_moving()
    disabled = DriveState.DISABLED
    drive.bank.changes = {
        "state": six(disabled, 2, other=ENABLED),
        "homed": six(False, 2, other=True),
    }
    drive.cycle(moved(drive.gate.commanded, drive.index, 5e-5))
    verdict = drive.cycle(moved(drive.gate.commanded, drive.index, 5e-5))
    assert verdict.mode is Mode.CSTOP
    assert "is not homed any more" in str(verdict.faults[0])
    drive.until(Mode.FAULT)
    drive.bank.changes = {}
    for _ in range(100):
        drive.cycle(None, Request.ENGAGE, Request.HOME)
    assert drive.verdicts[-1].mode is Mode.FAULT
    assert drive.bank.goal is DriveGoal.DISABLED


def test_what_happened_on_the_link_is_told_at_the_end_and_stays():
    drive = Drive()
    for _ in range(4):
        drive.cycle()
    end = drive.gated.close()
    assert end.tally["cycles"] == len(drive.bank.sent) == 5
    drive.bank.sent.clear()  # what a bank that is closed says is not asked for
    assert drive.gated.close() == end
    assert drive.bank.closed == 2


def cycle_without_an_answer(drive):
    """A cycle in which the link fails; the drives answer again in those after it."""
    drive.bank.error = LinkLostError("unplugged")
    with pytest.raises(LinkLostError, match="unplugged"):
        drive.cycle(moved(drive.gate.commanded, drive.index, 5e-5))
    drive.bank.error = None


def test_after_an_exchange_that_failed_nothing_old_is_believed():
    """The feedback of the cycle before must not be judged a second time as if it were new."""
    drive = engaged_and_moving(missing_feedback_max=0)
    cycle_without_an_answer(drive)
    verdict = drive.cycle(moved(drive.gate.commanded, drive.index, 5e-5))
    assert {(f.check, f.leg) for f in verdict.faults} == {
        (Check.FEEDBACK, leg) for leg in range(1, 7)
    }


def test_after_an_exchange_that_failed_no_emergency_stop_is_believed_closed():
    drive = engaged_and_moving(CLOSED, estop_fitted=True, missing_feedback_max=9)
    cycle_without_an_answer(drive)
    verdict = drive.cycle(moved(drive.gate.commanded, drive.index, 5e-5))
    assert verdict.mode is Mode.CSTOP
    assert [fault.check for fault in verdict.faults] == [Check.ESTOP]
    assert "not read" in str(verdict.faults[0])


def test_without_a_clock_no_act_of_a_person_counts():
    drive = Drive()
    drive.engage()
    tick = Tick(drive.index, 0.0, PERIOD_S, 0.0)
    drive.gated.cycle(tick, None, absent="gone")
    drive.index += 1
    drive.until(Mode.OFF, Request.SHUT_DOWN)
    drive.until(Mode.IDLE, Request.CONFIGURED)
    for act_s in (0.0, 1e9, float("inf")):
        tick = Tick(drive.index, 0.0, PERIOD_S, 0.0)
        drive.index += 1
        verdict = drive.gated.cycle(tick, None, (Request.HOME,), act_s=act_s).verdict
        assert verdict.mode is Mode.IDLE, "control was gone, and nobody has pressed since"


@pytest.mark.parametrize("leg", [1, 4, 6])
@pytest.mark.parametrize(
    ("field", "value", "check"),
    [("age_s", 0.5, Check.LAG), ("force_n", 9e3, Check.FORCE), ("force_n", -9e3, Check.FORCE)],
)
def test_what_a_drive_measures_beside_its_length_reaches_the_gate(field, value, check, leg):
    drive = engaged_and_moving()
    drive.bank.changes = {field: six(value, leg, other=0.0)}
    for _ in range(40):
        drive.cycle(moved(drive.gate.commanded, drive.index, 0.0) if drive.gate.commanded else None)
    faults = drive.verdicts[-1].faults
    assert [(fault.check, fault.leg) for fault in faults] == [(check, leg)]


def test_drives_that_have_to_make_a_first_motion_are_let_make_no_other():
    class Absolute(SpyBank):
        def configure(self):
            return dataclasses.replace(super().configure(), first_motion=True)

    drive = Drive(bank=Absolute())
    drive.engage()
    drive.cycle(moved(drive.gate.commanded, drive.index, 1e-5))
    assert drive.verdicts[-1].violations[0].check is Check.FIRST_SETPOINT


def test_a_place_that_one_leg_did_not_report_is_none():
    drive = Drive()
    drive.cycle()
    assert drive.gated.last_measured == (LENGTHS, ZERO)
    drive.bank.changes = {"fresh": six(False, 3, other=True)}
    drive.cycle()
    assert drive.gated.last_measured == ((), ())


def test_times_of_touches_count_from_the_first_verdict():
    drive = Drive()
    for _ in range(5):
        drive.gated.idle()
    idle_s = 6 * PERIOD_S  # one more as it was opened
    for _ in range(10):
        drive.cycle()
    touch = ("cabin, wall", idle_s + 0.25, PERIOD_S, (3.0, 4.0))
    close = drive.bank.close
    drive.bank.close = lambda: dataclasses.replace(close(), touched=(touch,))
    (told,) = drive.gated.close().touched
    assert told == ("cabin, wall", pytest.approx(0.25), PERIOD_S, (3.0, 4.0))
