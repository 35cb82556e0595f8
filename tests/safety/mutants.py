"""Named mutants of gates, their process and designs: each is a fault that a test must find.

A mutant is a text of one file, replaced in a copy of the packages that stands first on the path of
a pytest of its own. It dies when a test fails; whatever else ends that pytest is an error.
"""

# ruff: noqa: E501 a text of a file is longer than a line of one
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from arm_mutants import ARM_ROWS, ARM_TESTS
from design_mutants import DESIGN_ROWS, DESIGN_TESTS
from gate_mutants import GATE_ROWS, GATE_TESTS
from robot_mutants import ROBOT_ROWS, ROBOT_TESTS

ROOT = Path(__file__).parents[2]
MUTATED = ("safety", "hil", "arm_driver")
PACKAGES = (*MUTATED, "drives", "platform6dof", "sim", "hil_common")
"""All of them, for a program refuses packages from two places."""
TESTS = {
    "safety/age.py": ("safety/test_safety_age.py",),
    "safety/checks.py": ("safety/test_safety_checks.py", "safety/test_safety_gate.py"),
    "safety/command.py": ("safety/test_safety_gate.py",),
    "safety/estop.py": ("safety/test_safety_estop.py",),
    "safety/faults.py": ("safety/test_safety_faults.py",),
    "safety/lag.py": ("safety/test_safety_lag.py",),
    "safety/feedback.py": ("safety/test_safety_watchdog.py",),
    "safety/gate.py": (
        "safety/test_watches.py",
        "safety/test_safety_gate.py",
        "safety/test_safety_quick_stop.py",
        "safety/test_safety_plausibility.py",
        "safety/test_safety_controls.py",
    ),
    "safety/interlock.py": ("safety/test_safety_controls.py", "gate/test_frozen_control.py"),
    "safety/modes.py": ("safety/test_safety_modes.py",),
    "safety/plausibility.py": ("safety/test_safety_plausibility.py",),
    "safety/quick_stop.py": ("safety/test_safety_quick_stop.py",),
    "safety/controlled_stop.py": ("safety/test_safety_stopping.py", "safety/test_safety_gate.py"),
    "safety/stream.py": ("safety/test_safety_gate.py",),
    "safety/watchdog.py": ("safety/test_safety_watchdog.py",),
    "safety/watches.py": ("safety/test_watches.py",),
    "hil/stations/platform/gate/server.py": ("gate/test_server.py", "gate/test_frozen_control.py"),
    "hil/ipc/latest.py": ("ipc/test_latest.py",),
    "hil/run/run.py": ("run/test_run_play.py",),
    "hil/run/journal.py": ("run/test_run_play.py",),
    "hil/stations/arm/cycle/waypoint_gate.py": ("arm_station/test_gated_arm.py",),
    "hil/stations/platform/gate/command_slot.py": ("gate/test_slot.py",),
    **ARM_TESTS,
    **ROBOT_TESTS,
    **GATE_TESTS,
    **DESIGN_TESTS,
    "safety/arm_rules.py": ("safety/test_arm_gate.py", "safety/test_arm_corners.py"),
    "safety/arm_gate.py": ("safety/test_arm_gate.py",),
    "hil/stations/platform/cycle/gated_bank.py": (
        "platform_station/test_gated_bank.py",
        "gate/test_rows.py",
        "gate/test_server.py",
    ),
}
"""Tests that look at each file, the likeliest first."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault.

    Args:
        name: what is wrong.
        file: path of the file in the repository.
        old: its text, which stands there once.
        new: what stands there instead.
    """

    name: str
    file: str
    old: str
    new: str


def _of(file, *rows):
    return [Mutant(name, file, old, new) for name, old, new in rows]


MUTANTS = (
    *(
        mutant
        for rows_of in (ARM_ROWS, ROBOT_ROWS, GATE_ROWS, DESIGN_ROWS)
        for file, rows in rows_of.items()
        for mutant in _of(file, *rows)
    ),
    *_of(
        "safety/age.py",
        ("an age that is no number passes", "and not -most_s <= age_s <= most_s", "and (age_s > most_s or age_s < -most_s)"),
        ("a clock that leapt ahead passes", "and not -most_s <= age_s <= most_s", "and not age_s <= most_s"),
        ("no frame is ever too old", "and not -most_s <= age_s <= most_s", "and not age_s == age_s"),
    ),
    *_of(
        "safety/lag.py",
        ("a lag before its time is a reference", "max(leg.lag, -AHEAD_CYCLES), leg.doubt", "leg.lag, leg.doubt"),
        ("what a load does to a servo is a lag", "(DOUBT_M + LOADED * self.against) * self.u", "DOUBT_M * self.u"),
        ("what a load did is left to doubt for ever", "faded = leg.against * fade", "faded = leg.against"),
    ),
    *_of(
        "safety/checks.py",
        ("the upper soft limit is not checked", "low <= length <= high\n                and", "low <= length\n                and"),
        ("retracting has no speed limit", "and -move_max <= move <= move_max", "and move <= move_max"),
        ("decelerating has no limit", "and -change_max <= move - before <= change_max", "and move - before <= change_max"),
        ("a feed-forward inwards has no limit", "and -speed_max <= speed <= speed_max", "and speed <= speed_max"),
        ("a feed-forward that lags is not seen", "and -mismatch_max <= speed - move * per_s <= mismatch_max", "and speed - move * per_s <= mismatch_max"),
        ("retracting legs do not lengthen the stop", "elif not -brake * ratio <= move <= brake * ratio:", "elif not move <= brake * ratio:"),
        ("the margin does not grow with the speed", "margin = base + per_movement * (move if move >= 0.0 else -move)", "margin = base"),
        ("no margin at the inner end", "if not low + margin <= end <= high - margin:", "if not low <= end <= high - margin:"),
        ("the reaction way is left out", "(limits.following_per_speed_s + limits.reaction_time_s) / dt", "limits.following_per_speed_s / dt"),
        ("a start may lie further in", "if not abs(asked - held) <= limit:", "if not asked - held <= limit:"),
        ("a start needs one enabled drive", "if not all(feedback.enabled):", "if not any(feedback.enabled):"),
        ("a start while a leg moves", "if not at_rest:", "if False:"),
        ("a start without margin", "low, high = low + self._margin_m, high - self._margin_m", "low, high = low + 0.0, high"),
    ),
    *_of(
        "safety/command.py",
        ("the own output may jump", "                and -change_max <= move - before <= change_max\n", ""),
        ("the own output may leave the stroke", "                low <= length <= high\n                and", "                length == length\n                and"),
        ("rest is one standstill speed, however weak the brake", "min(limits.standstill_speed_m_s * dt, brake)", "limits.standstill_speed_m_s * dt"),
        ("a dropped command keeps its movement", "        self.target = None\n        self.movement_m = ZERO_SIX\n", "        self.target = None\n"),
    ),
    *_of(
        "safety/estop.py",
        ("the discrepancy is lost at a second press", "self._discrepant = self._discrepant or self._differing > self._differing_max", "self._discrepant = self._differing > self._differing_max"),
        ("a welded contact agrees again", "if channels == OPEN:", "if channels:"),
        ("the discrepancy comes a cycle early", "or self._differing > self._differing_max", "or self._differing >= self._differing_max"),
        ("one open channel is none", "if channels != CLOSED:", "if channels == OPEN:"),
        ("channels that are not read are only told", "0, 2, Severity.STOP, note", "0, 2, Severity.INFORM, note"),
        ("differences add up over presses", "            return\n        self._differing = 0\n", "            return\n"),
    ),
    *_of(
        "safety/faults.py",
        ("the first of a check hides a worse one", "self._worst.get(key, Severity.INFORM) + 1", "(9 if key in self._worst else 0)"),
        ("a cleared latch takes nothing of the same key", "        self._worst.clear()\n", ""),
        ("two causes are like one", "if len(causes) > 1", "if len(causes) > 2"),
        ("a class C counts as a cause", "if fault.severity is Severity.STOP:", "if fault.severity <= Severity.STOP:"),
    ),
    *_of(
        "safety/feedback.py",
        ("missing frames add up for ever", "[0 if fresh else missing for", "[missing for"),
        ("one missing frame fewer", "if missing > limit:", "if missing >= limit:"),
        ("a length that is no number passes", "if fresh and not math.isfinite(length):", "if fresh and math.isinf(length):"),
        ("a leg that is ahead follows", "            <= window\n", ""),
        ("following errors add up", "self._outside[leg] + 1 if strays[leg] else 0", "self._outside[leg] + strays[leg]"),
        ("a drive that forgot its reference goes on", "if watched.homed and not homed:", "if False:"),
        ("a drive that dropped out goes on", "if watched.enabled and commanded and not enabled:", "if False:"),
        ("fault code 1 is none", "if watched.drive and code != 0:", "if watched.drive and code > 1:"),
        ("a bank that has failed is believed", "if feedback is not None and feedback.failed:", "if False:"),
        ("a bank that has failed leads a path to its stop", "Severity.QUICK_STOP, note=note", "Severity.STOP, note=note"),
        ("silence clears a following error", "            if feedback.fresh[leg]:\n", "            strays[leg] = strays[leg] and feedback.fresh[leg]\n            if True:\n"),
    ),
    *_of(
        "safety/gate.py",
        ("a fault while enabling goes on enabling", "if event is Event.FAULT_STOP and self._only_enabling:", "if False:"),
        ("a held reset is an edge", "edge = self._reset_was_low and", "edge = True and"),
        ("a reset does not wait for all legs", "self._interlock.causes and still.all_legs:", "self._interlock.causes and still.reporting_legs:"),
        ("after a quick stop the drives are enabled again", "            self._release()  # the drives' own", "            pass  # the drives' own"),
        ("a quick stop does not begin its watch", "            self._quick_stop.begin(self._last_feedback, failed=strayed)", "            pass"),
        ("a second cause in a powered fault is only listed", "(self._mode is Mode.FAULT and self._released)", "(self._mode is Mode.FAULT)"),
        ("parked while it moves", "if event is Event.PARKED and not self._command.at_rest:", "if False:"),
        ("the power goes while a leg moves", "if powers_off and not self._still.all_legs:", "if False:"),
        ("homed before the legs stand", "still.all_legs and all(feedback.homed)", "all(feedback.homed)"),
        ("a class B stop ends in hold", "faulted = self._latch.reaction >= Severity.STOP", "faulted = self._latch.reaction > Severity.STOP"),
        ("a new stream goes on with the old one", "            self._stream.begin()", "            pass"),
        ("a quick stop that fails goes on", "if mode is Mode.QSTOP and self._quick_stop.failed:", "if False:"),
        ("a stop leaves the permission to start", "            self._interlock.close(self._latch.faults)\n        # Without", "            pass\n        # Without"),
        ("lengths from before homing count", "            self._plausible.forget()", "            pass"),
        ("a control that is gone is no cause", "if watched.control and inputs.absent:", "if False:"),
        ("a reset needs no act", "edge and not self._interlock.causes and", "edge and"),
        ("the emergency stop is not looked at in homing", "if watched.estop and self._estop_fitted:", "if watched.homed and self._estop_fitted:"),
        ("what is not judged passes", "if WATCHED[self._mode].setpoint:", "if self._mode in FOLLOWING_MODES:"),
        ("lag is not looked at", "found += self._lag.step(feedback, commanded_m) or ()", "self._lag.step(feedback, commanded_m)"),
        ("force is not looked at", "found += self._load.step(feedback) or ()", "self._load.step(feedback)"),
        ("drives warn in vain", "            found += drive_warnings(feedback)", "            drive_warnings(feedback)"),
        ("a force of before the power went counts", "            self._load.forget()", "            pass"),
        ("class B in OFF is kept", "if each.check is Check.CONTROL]", "if True]"),
    ),
    *_of(
        "safety/interlock.py",
        ("an act may come from the future", "0.0 <= act_age_s <", "act_age_s <"),
        ("an act before the stop counts", "        self._since_cycles = 0\n\n    def objection", "\n    def objection"),
        ("an act does not open it", "            self._causes.clear()\n", ""),
        ("after an act there is no parking", "            self._parked = False\n\n    def close", "\n    def close"),
        ("parking before the stop counts as parking after it", "and bool(self.causes))", "and True)"),
        ("a led run parks by itself", "(self._led or self._parked)", "self._parked"),
        ("parking again and again", "(self._led or self._parked)", "self._led"),
        ("a start is never objected to", "if following in STARTED_MODES:", "if False:"),
    ),
    *_of(
        "safety/modes.py",
        ("ENGAGING is no start", "STARTED_MODES = frozenset({Mode.HOMING, Mode.ENGAGING, Mode.ENGAGED})", "STARTED_MODES = frozenset({Mode.HOMING, Mode.ENGAGED})"),
        ("silence does not stop homing", "        (m.HOMING, e.FAULT_HOLD): m.QSTOP,\n", ""),
        ("class A while standing is class B", "for mode in (m.HOMING, m.STANDBY, m.CSTOP,", "for mode in (m.HOMING, m.CSTOP,"),
        ("a fault cuts the power in the middle of the stop", "if not released and mode is Mode.FAULT:", "if False:"),
        ("the least cautious request wins", "return min(requests", "return max(requests"),
        ("ENGAGED out of STANDBY", "(m.STANDBY, e.ENGAGE): m.ENGAGING", "(m.STANDBY, e.ENGAGE): m.ENGAGED"),
    ),
    *_of(
        "safety/plausibility.py",
        ("a jump inwards passes", "if abs(change_m) > bound_m and", "if change_m > bound_m and"),
        ("a stuck length is seen a cycle late", "if cycles < limits.stuck_cycles:", "if cycles <= limits.stuck_cycles:"),
        ("silence permits no way", "                self._silent_s[leg] += elapsed_s\n", ""),
        ("nothing is forgotten", "        self._last_m = None\n\n    def step", "        pass\n\n    def step"),
    ),
    *_of(
        "safety/quick_stop.py",
        ("the patience of the first quick stop goes on", "        self._cycles = 0\n        self.failed = failed\n", "        self.failed = failed\n"),
        ("a cycle more patience", "self._patience + 1:", "self._patience + 2:"),
        ("a leg may reach full speed", "min(most, abs(speed) + margin)", "most"),
        ("a failed quick stop recovers", "self.failed = self.failed or bool(found)", "self.failed = bool(found)"),
        ("the failure of the last quick stop stays", "self.failed = failed\n        rows", "self.failed = self.failed or failed\n        rows"),
    ),
    *_of(
        "safety/controlled_stop.py",
        ("the way of a stop is the continuous one", "return k - k * (k + 1) / (2.0 * ratio)", "return ratio / 2.0"),
        ("a stop begins a cycle late", "1.0 - cycle / self.ratio", "1.0 - (cycle - 1) / self.ratio"),
        ("the quickest leg sets the stop", "max(1.0, *ratios)", "max(1.0, min(ratios))"),
    ),
    *_of(
        "safety/stream.py",
        ("one gap fewer is bridged", "missed > self._missing_max", "missed >= self._missing_max"),
        ("a gap is bridged out of the stoppable range", "if bad or missed >", "if missed >"),
        ("a stream may begin anywhere", "            if bad:\n                return Action.BLOCKED, bad\n        bad =", "        bad ="),
        ("a gap is not named before what follows from it", "return [self._missing(missed, Severity.HOLD, note), *bad]", "return bad"),
        ("a second stream does not wait", "        self._watch.forget()\n        self._waiting = True", "        self._watch.forget()"),
    ),
    *_of(
        "safety/watchdog.py",
        ("twice as late is in time", "if not late_s <= self._limit_s:", "if not late_s <= 2.0 * self._limit_s:"),
        ("a repeated cycle passes", "if index != last + 1:", "if index > last + 1:"),
        ("cycles run ahead by two periods", "if self._lead_s > self._period_s * _LEAD_ROUNDING:", "if self._lead_s > 2.0 * self._period_s:"),
        ("a setpoint of the future is fresh", "if not 0.0 <= age_s <= self._age_max_s:", "if not age_s <= self._age_max_s:"),
        ("any other number is newer", "SEQUENCE_MODULUS // 2", "SEQUENCE_MODULUS"),
        ("standstill takes a cycle more", "return self._all_cycles >= self._cycles", "return self._all_cycles > self._cycles"),
        ("creeping in is standstill", "if not abs(length - anchor) <= self._rest_travel_m:", "if not length - anchor <= self._rest_travel_m:"),
    ),
    *_of(
        "safety/watches.py",
        ("no force counts in homing", "_WITH_POWER: Final = _ALWAYS - {Mode.OFF, Mode.IDLE}", "_WITH_POWER: Final = _ALWAYS - {Mode.OFF, Mode.IDLE, Mode.HOMING}"),
        ("what a fault holds need not follow", "_COMMANDED: Final = HOMED_MODES | {Mode.FAULT}", "_COMMANDED: Final = HOMED_MODES"),
        ("nothing is asked of the quick stop of a lockout", "frozenset({Mode.QSTOP, Mode.LOCKOUT})", "frozenset({Mode.QSTOP})"),
    ),
    *_of(
        "hil/stations/platform/gate/server.py",
        ("silence is heard after twice the time", "self._silent >= self._silence_cycles", "self._silent >= 2 * self._silence_cycles"),
        ("a setpoint of the last cycle counts", "if asked is not None and behind:", "if asked is not None and behind > 1:"),
        ("old requests count", "if requests and behind > self._late_cycles:", "if requests and behind > 10**6:"),
        ("an old reset counts", "order.reset and behind <= self._late_cycles", "order.reset"),
        ("the end of control is not seen", "if not self._wake():", "if False:"),
        ("alone it holds for ever", "stop = Request.SHUT_DOWN if self._power_goes else Request.HOLD", "stop = Request.HOLD"),
        ("silence is no cause", "why is None or why is Alone.LEAVING", "why is not Alone.GONE"),
        ("a control that is only silent finds no gate", "if released and (self._power_goes or self._alone is not Alone.SILENT):", "if released:"),
        ("legs that never stand keep the gate for ever", "elif self._alone_cycles > self._alone_cycles_max:", "elif False:"),
        ("orders count while the power goes", "self._alone is Alone.SILENT and not self._power_goes:", "self._alone is Alone.SILENT:"),
        ("the act of an order is lost", "act_s = NEVER_S if order is None else order.act_s", "act_s = NEVER_S"),
    ),
    *_of(
        "hil/ipc/latest.py",
        ("a short memory passes", "if len(buffer) < self.slot_bytes:", "if False:"),
        ("what a dead writer left odd stays odd", "self._word[0] + self._word[0] % 2", "self._word[0]"),
        ("another writer counts from the beginning", "self._written = self._word[0] + self._word[0] % 2", "self._written = 0"),
        ("the writer does not say that it is at work", "word[0] = counter - 1", "pass"),
        ("the writer says that it has done before it begins", "word[0] = counter - 1", "word[0] = counter"),
        ("something always waits", "return self._word[0] != self._read", "return True"),
        ("what a dead writer left is taken", "if counter % 2 or self", "if self"),
        ("a word overwritten under the reader is not torn", "if counter % 2 or self._word[0] != counter:", "if counter % 2:"),
        ("a word is taken twice", "        self._read = counter\n", ""),
        ("a damaged word is taken", "crc32(checked) != _CRC_RESIDUE or", ""),
        ("an old word under a new counter is taken", " or fields[0] != counter:", ":"),
        ("damage is not counted", "fields[0] != counter:\n            self.corrupt += 1", "fields[0] != counter:"),
        ("a damaged attachment is taken", "if crc32(attachment) != fields[-1]:", "if False:"),
        ("an attachment is taken once and never again", " and fields[-3] != self._serial:", " and not self._serial:"),
        ("an attachment that is known is copied again", " and fields[-3] != self._serial:", ":"),
        ("too long an attachment is put", "if attachment and len(attachment) > most:", "if False:"),
    ),
    *_of(
        "hil/stations/platform/gate/command_slot.py",
        ("an order from before the gate counts", "        self._read = self._word[0]\n", ""),
        ("unknown flags pass", "if flags & ~_KNOWN:", "if False:"),
        ("content that no control writes is not counted", "            self.corrupt += 1\n", "            pass\n"),
    ),
    *_of(
        "hil/run/run.py",
        ("a run goes on after its last turn", "            if run.turn(tick):\n                break", "            run.turn(tick)"),
        ("every error is an end", "if not run.failed(error):", "if run.failed(error) and False:"),
        ("no error is an end", "if not run.failed(error):", "if True:"),
        ("a run that fails is not asked what that is", "if not run.failed(error):", "if error.args:"),
        ("the devices are left on a good end only", "    finally:\n        progress.end()\n        run.close()", "    else:\n        progress.end()\n        run.close()"),
        ("the devices are never left", "        progress.end()\n        run.close()", "        progress.end()"),
        ("an interrupt is asked of the run", "except Exception as error:", "except BaseException as error:"),
    ),
    *_of(
        "hil/run/run.py",
        ("nobody hears signals", "self.stop_request = entered.enter_context(self._signals)", "self.stop_request = self._signals"),
        ("signals are not given back", "self._stack.__exit__(kind, error, trace)", "pass"),
        ("somebody else's wish is not heard", "stop or StopSignals()", "StopSignals()"),
        ("the recording is not ended after an error", "        self._stack.callback(self._sink.finish)\n", ""),
        ("what was entered is left at once", "        return self._stack.enter_context(opened)", "        with opened as one:\n            return one"),
        ("what is to be done at the end is done at once", "        self._stack.callback(act)", "        act()"),
        ("a dry run asks for real time", "return () if self.virtual else", "return () if False else"),
        ("real time is not asked for", "return () if self.virtual else", "return () if True else"),
        ("a dry run tells a date", "        if not self.virtual:\n", "        if True:\n"),
    ),
    *_of(
        "hil/run/journal.py",
        ("panels are not told", "if self._audience is not None:", "if False:"),
        ("every row tells the date", "            self._begun = True\n", ""),
        ("no row tells the date", "if self.dated is not None:", "if False:"),
        ("memory grows for ever", "if len(self.events) < KEPT_EVENTS:", "if True:"),
        ("events are kept and not recorded", "        self._push(EVENTS, event.to_bytes())\n", ""),
        ("rows are events", "self._push(ROWS, payload)", "self._push(EVENTS, payload)"),
        ("an event loses its weight", "kind, level, who, message, data or {}", "kind, Level.INFO, who, message, data or {}"),
        ("an event loses its values", "message, data or {}", "message, {}"),
        ("the recorder's word is not heard", "said := self._sink.service()", "said := ''"),
    ),
    *_of(
        "hil/stations/arm/cycle/waypoint_gate.py",
        ("what was refused may be written", "        if verdict.action is ArmAction.PASSED and verdict.allowed is not None:\n            self._passed.append(verdict.allowed[-1])", "        self._passed.append(samples[-1])"),
        ("nothing need have passed", "        if not self._passed:\n", "        if False:\n"),
        ("what passed is not compared", "        self._compare(X_RT, self._passed[0])\n", ""),
        ("the newest counts in place of the next", "self._compare(X_RT, self._passed[0])", "self._compare(X_RT, self._passed[-1])"),
        ("a waypoint is written twice", "            self._passed.popleft()\n", "            pass\n"),
        ("one that was not taken is used up", "if answer is Offer.TAKEN:", "if True:"),
        ("a turned gripper passes", "away_m <= SAME_M and away_rad <= SAME_RAD", "away_m <= SAME_M"),
        ("a moved gripper passes", "away_m <= SAME_M and away_rad <= SAME_RAD", "away_rad <= SAME_RAD"),
        ("a millimetre is rounding", "SAME_M = 1e-6", "SAME_M = 1e-3"),
        ("a degree is rounding", "SAME_RAD = 1e-6", "SAME_RAD = math.radians(1.0)"),
        ("a shut gate starts a stream", "if self._gate.latched:", "if False:"),
        ("what passed may be written after the end", "        self._passed.clear()\n", ""),
        ("the robot is not told of the end", "        self._link.end(reason)\n", ""),
        ("the link is not left", '        """Leave the link."""\n        self._link.close()', '        """Leave the link."""'),
        ("the gate is not told of a stop", "        self._gate.declare_stop()\n", ""),
        ("a trial binds the stream", "return self._gate.trial()", "return self._gate"),
        ("the gate does not hear where the robot is", "self._link.start(path, measured)", "self._link.start(path, None)"),
    ),
    *_of(
        "hil/stations/platform/cycle/gated_bank.py",
        ("what was read before the link was lost is believed", "        self._feedback = self._estop = None  # should", "        # should"),
        ("that a bank has failed is kept from the gate", "        feedback.failed,\n", ""),
        ("frames of a drive without a heartbeat count", "new and state is not DriveState.UNKNOWN", "new"),
        ("both channels come from one drive", "bool(inputs[two - 1] & INTERLOCK)", "bool(inputs[one - 1] & INTERLOCK)"),
        ("drive 1 counts as enabled", "enabled = (a is on,", "enabled = (True,"),
        ("the goal is never asked of the drives", "            self._bank.request(goal)\n", ""),
    ),
)  # fmt: skip


class Mutation:
    """A copy of the packages in which one mutant at a time is made.

    Args:
        folder: an empty folder for the copy.
    """

    def __init__(self, folder):
        self.folder = folder
        for package in PACKAGES:
            # What is not changed keeps what was compiled of it.
            ignored = shutil.ignore_patterns("__pycache__") if package in MUTATED else None
            shutil.copytree(ROOT / package, folder / package, ignore=ignored)
        (folder / "configs").symlink_to(ROOT / "configs")
        self._env = os.environ | {
            "PYTHONPATH": str(folder),
            "PYTHONDONTWRITEBYTECODE": "1",  # no .pyc of a mutant outlives it
            "HYPOTHESIS_PROFILE": "suite",  # they die of what is tried every day
        }

    def verdict(self, mutant, tests=()):
        """Exit status of pytest on this mutant: 1 if a test failed, 0 if none did; and its end.

        Args:
            tests: files or folders of tests; none for those that look at the file.
        """
        source = ROOT / mutant.file
        text = source.read_text(encoding="utf-8")
        if text.count(mutant.old) != 1 or mutant.old == mutant.new:
            raise LookupError(f"{mutant.name}: {text.count(mutant.old)} places in {mutant.file}")
        copy = self.folder / mutant.file
        for kernel in copy.parent.glob(f"__pycache__/{copy.stem.split('_')[0]}*.nb?"):
            kernel.unlink()  # what calls it has it within itself
        copy.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        try:
            return self._pytest(tests or TESTS[mutant.file])
        finally:
            copy.write_text(text, encoding="utf-8")

    def _pytest(self, tests):
        paths = [str(ROOT / "tests" / test) for test in tests]
        options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not campaign"]
        where = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT)]
        ended = subprocess.run(
            [sys.executable, "-P", "-m", "pytest", *options, *where, *paths],
            cwd=self.folder, env=self._env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return ended.returncode, ended.stdout[-2000:] + ended.stderr[-500:]

    def imported(self, name):
        """File from which a package comes in such a pytest."""
        program = f"import {name}; print({name}.__file__)"
        out = subprocess.run(
            [sys.executable, "-P", "-c", program],
            cwd=self.folder, env=self._env, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        return Path(out.strip())
