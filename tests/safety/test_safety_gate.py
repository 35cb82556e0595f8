"""The gate from cycle to cycle: start, stream, gaps, faults, stops, reset, lockout."""

import math
import subprocess
import sys
from dataclasses import replace

import pytest
from safety_samples import (
    DT,
    LEG,
    NO,
    START,
    YES,
    ZERO,
    Bench,
    changed,
    make_limits,
    stop_ends,
)

from hil.stations.platform.lead.button_commands import refusal_of
from safety.command import CommandedState, GateInconsistentError
from safety.gate import GateInputs
from safety.modes import Event, Mode, Request, Severity
from safety.verdict import Action, Check, DriveRequest, Setpoint

LEGS = range(1, 7)


def checks(verdict, least=Severity.HOLD):
    return [(v.check, v.leg) for v in verdict.violations if v.severity >= least]


def faults(verdict):
    return [(v.check, v.leg) for v in verdict.faults]


def until(bench, mode, cycles=400, **changes):
    for _ in range(cycles):
        if bench.cycle(**changes).mode is mode:
            return bench.verdict
    raise AssertionError(f"{mode} not reached, but {bench.verdict}")


class TestStart:
    def test_the_way_up(self):
        bench = Bench()
        first = bench.cycle()
        assert (first.mode, first.action, first.allowed) == (Mode.OFF, Action.BLOCKED, None)
        assert first.drives is DriveRequest.OFF
        assert bench.idle().verdict.mode is Mode.IDLE
        assert bench.verdict.drives is DriveRequest.OFF
        bench.cycle(None, Request.HOME)
        assert (bench.verdict.mode, bench.verdict.drives) == (Mode.HOMING, DriveRequest.HOME)
        until(bench, Mode.STANDBY)
        assert bench.verdict.drives is DriveRequest.ENABLE
        assert bench.verdict.allowed is None
        bench.run(2)
        assert bench.verdict.action is Action.HOLDING
        assert bench.verdict.allowed.length_m == START
        assert all(v.allowed is None for v in bench.history[: bench.index - 3])

    def test_homing_needs_all_legs_homed_and_standing(self):
        bench = Bench().homing()
        for leg in LEGS:
            bench.run(9, fb=bench.read(homed=changed(YES, leg, False)))
            assert bench.verdict.mode is Mode.HOMING
            bench.run(9, fb=bench.read(speed_m_s=changed(ZERO, leg, 0.1)))
            assert bench.verdict.mode is Mode.HOMING
            bench.run(2, fb=bench.read(fresh=changed(YES, leg, False)))
            assert bench.verdict.mode is Mode.HOMING
        bench.cycle(fb=bench.read(homed=NO))
        assert bench.cycle(fb=None).mode is Mode.HOMING
        assert until(bench, Mode.STANDBY, 5)

    def test_nothing_is_allowed_until_all_six_drives_are_enabled(self):
        bench = Bench().homing()
        until(bench, Mode.STANDBY)
        for leg in LEGS:
            verdict = bench.run(5, fb=bench.read(enabled=changed(YES, leg, False)))
            assert (verdict.action, verdict.allowed) == (Action.BLOCKED, None)
            assert verdict.faults == ()
        assert bench.cycle().allowed.length_m == START

    def test_engage_is_refused_with_the_reason_until_the_start_is_known(self):
        bench = Bench(start_m=changed(START, 2, 0.7139)).homing()
        until(bench, Mode.STANDBY)
        verdict = bench.cycle(None, Request.ENGAGE)
        assert verdict.mode is Mode.STANDBY
        (violation,) = verdict.violations
        assert violation.severity is Severity.INFORM
        assert "ENGAGE refused in STANDBY: leg 2: position 0.7139 m outside [0.714, " in str(
            violation
        )
        bench.run(3)
        verdict = bench.cycle(None, Request.ENGAGE, fb=bench.read(enabled=NO))
        assert "the drives are not enabled" in str(verdict.violations[0])
        assert verdict.allowed is None

    def test_engage_in_the_very_cycle_of_the_start_waits_for_the_next(self):
        bench = Bench().homing()
        until(bench, Mode.STANDBY)
        verdict = bench.cycle(None, Request.ENGAGE)
        assert verdict.mode is Mode.STANDBY
        assert verdict.action is Action.HOLDING
        assert "only being taken" in str(verdict.violations[0])
        assert bench.cycle(None, Request.ENGAGE).mode is Mode.ENGAGING

    def test_invariant_6_the_first_setpoint_is_the_measured_one_at_rest(self):
        measured = tuple(x + 1e-4 for x in START)
        bench = Bench(start_m=measured).standby()
        first = next(v for v in bench.history if v.allowed is not None)
        assert first.allowed.length_m == measured
        assert first.allowed.speed_m_s == ZERO
        assert bench.gate.commanded == first.allowed

    def test_the_held_state_is_taken_once_and_does_not_follow_the_measured_one(self):
        bench = Bench().standby()
        for _ in range(20):
            sagging = bench.read(length_m=tuple(x - 0.001 for x in START))
            verdict = bench.cycle(fb=sagging)
            assert (verdict.mode, verdict.allowed.length_m) == (Mode.STANDBY, START)

    def test_the_gate_holds_after_engage_as_long_as_control_needs(self):
        bench = Bench().engaging()
        for _ in range(50):
            verdict = bench.cycle()
            assert (verdict.mode, verdict.action) == (Mode.ENGAGING, Action.HOLDING)
            assert verdict.violations == ()
            assert verdict.allowed.length_m == START

    def test_a_setpoint_in_standby_moves_nothing(self):
        bench = Bench().standby()
        verdict = bench.cycle(bench.setpoint(changed(START, 1, START[0] + 1e-6)))
        assert (verdict.action, verdict.allowed.length_m) == (Action.HOLDING, START)

    @pytest.mark.parametrize("leg", LEGS)
    def test_a_stream_that_starts_elsewhere_leads_to_hold(self, leg):
        bench = Bench().engaging()
        verdict = bench.cycle(bench.setpoint(changed(START, leg, START[leg - 1] + 0.002)))
        assert checks(verdict) == faults(verdict) == [(Check.START, leg)]
        assert (verdict.mode, verdict.action) == (Mode.CSTOP, Action.STOPPING)
        assert verdict.allowed.length_m == START
        assert bench.cycle().mode is Mode.HOLD
        assert bench.cycle(None, Request.PARK).mode is Mode.PARKING
        assert faults(bench.verdict) == [(Check.START, leg)], "told until a person acts"
        assert bench.cycle(None, act_age_s=0.0).faults == ()

    def test_within_the_start_tolerance_the_other_checks_still_hold(self):
        bench = Bench().engaging()
        verdict = bench.cycle(bench.setpoint(changed(START, 1, START[0] + 0.0005)))
        assert {check for check, _ in checks(verdict)} == {
            Check.ACCELERATION,
            Check.SPEED_MISMATCH,
        }
        assert (verdict.mode, verdict.allowed.length_m) == (Mode.CSTOP, START)

    def test_the_start_tolerance_is_for_the_start_only(self):
        bench = Bench(make_limits(start_tolerance_m=1e-9)).engaging()
        speed = 1e-7
        assert bench.cycle(bench.ask_speed((speed,) * 6)).action is Action.PASSED
        assert bench.cycle(bench.ask_speed((0.001,) * 6)).action is Action.PASSED


class TestStream:
    def test_a_good_setpoint_passes_unchanged(self):
        bench = Bench().moving()
        asked = bench.ask_speed((0.1, -0.08, 0.06, -0.04, 0.02, 0.0))
        verdict = bench.cycle(asked)
        assert (verdict.mode, verdict.action) == (Mode.ENGAGED, Action.PASSED)
        assert verdict.allowed.length_m == asked.length_m
        assert verdict.allowed.speed_m_s == asked.speed_m_s
        assert verdict.violations == verdict.faults == ()
        assert bench.gate.commanded == verdict.allowed

    def test_a_bad_setpoint_is_blocked_and_the_stop_begins_in_the_same_cycle(self):
        bench = Bench().moving()
        before, movement = bench.length_m, bench.movement()
        good = bench.ask_speed((0.1, -0.08, 0.06, -0.04, 0.02, 0.0))
        verdict = bench.cycle(replace(good, length_m=changed(good.length_m, 3, math.nan)))
        assert (verdict.mode, verdict.action) == (Mode.CSTOP, Action.STOPPING)
        assert checks(verdict) == faults(verdict) == [(Check.FINITE, 3)]
        ends = stop_ends(bench.limits, before, movement)
        assert until(bench, Mode.FAULT).allowed.length_m == pytest.approx(tuple(ends), abs=1e-12)

    def test_the_stop_begins_from_the_commanded_state_not_from_the_measured_one(self):
        bench = Bench().moving()
        before, movement = bench.length_m, bench.movement()
        away = bench.read(length_m=tuple(x + 0.003 for x in before))
        verdict = bench.cycle(bench.setpoint(ZERO), fb=away)
        step = [y - x for x, y in zip(before, verdict.allowed.length_m, strict=True)]
        factors = [s / u for s, u in zip(step, movement, strict=True) if u != 0.0]
        assert factors == pytest.approx([factors[0]] * 5, rel=1e-6)
        assert 0.9 < factors[0] < 1.0

    def test_setpoints_during_the_stop_change_nothing(self):
        runs = []
        for disturb in (False, True):
            bench = Bench().moving()
            bench.cycle(None, Request.HOLD)
            while bench.cycle(bench.ask_speed((0.1,) * 6) if disturb else None).mode is Mode.CSTOP:
                pass
            runs.append([v.allowed for v in bench.history])
        assert runs[0] == runs[1]

    def test_missing_setpoints_are_bridged_at_constant_speed_then_the_stop_begins(self):
        bench = Bench().moving()
        speed = tuple(u / DT for u in bench.movement())
        for i in (1, 2):
            before = bench.length_m
            verdict = bench.cycle()
            assert (verdict.mode, verdict.action) == (Mode.ENGAGED, Action.BRIDGED)
            wanted = tuple(x + v * DT for x, v in zip(before, speed, strict=True))
            assert verdict.allowed.length_m == pytest.approx(wanted, abs=1e-14)
            assert verdict.allowed.speed_m_s == pytest.approx(speed, abs=1e-11)
            assert [(v.check, v.value, v.limit) for v in verdict.violations] == [
                (Check.MISSING, i, 2)
            ]
            assert verdict.faults == ()
        verdict = bench.cycle()
        assert (verdict.mode, verdict.action) == (Mode.CSTOP, Action.STOPPING)
        assert faults(verdict) == [(Check.MISSING, None)]
        assert until(bench, Mode.HOLD).drives is DriveRequest.ENABLE

    def test_a_bridged_gap_is_forgotten_by_the_next_good_setpoint(self):
        bench = Bench().moving()
        for _ in range(10):
            bench.run(2)
            verdict = bench.cycle(bench.ask_speed((0.1, -0.08, 0.06, -0.04, 0.02, 0.0)))
            assert verdict.action is Action.PASSED

    @pytest.mark.parametrize("missed", [1, 2])
    def test_a_gap_is_named_before_the_acceleration_that_follows_from_it(self, missed):
        bench = Bench().moving()
        bench.run(missed)
        stopped = (0.0,) * 6
        verdict = bench.cycle(bench.ask_speed(stopped))
        assert verdict.mode is Mode.CSTOP
        found = checks(verdict)
        assert found[0] == (Check.MISSING, None)
        assert (Check.ACCELERATION, 1) in found
        said = str(verdict.violations[0])
        assert said.startswith(f"setpoint missing for {missed} of at most 2 cycles (bridged, and")
        assert "leg 1: acceleration" in said

    def test_without_a_gap_before_it_an_acceleration_is_one(self):
        bench = Bench().moving()
        bench.run(1)
        bench.cycle(bench.ask_speed((0.1, -0.08, 0.06, -0.04, 0.02, 0.0)))
        verdict = bench.cycle(bench.ask_speed((0.0,) * 6))
        assert Check.MISSING not in [check for check, _ in checks(verdict)]

    @pytest.mark.parametrize("kind", ["none", "stale", "duplicate", "older"])
    def test_invariant_13_stale_and_repeated_setpoints_are_like_none(self, kind):
        bench = Bench().moving()
        plain = Bench().moving()
        for i in range(3):
            speed = (0.1, -0.08, 0.06, -0.04, 0.02, 0.0)
            setpoint, age = None, 0.0
            if kind == "stale":
                setpoint, age = replace(bench.ask_speed(speed), sequence=1000 + i), 0.01
            elif kind in ("duplicate", "older"):
                back = 0 if kind == "duplicate" else 1
                setpoint = Setpoint(bench.sequence - back, bench.length_m, ZERO)
            verdict = bench.cycle(setpoint, setpoint_age_s=age)
            other = plain.cycle()
            assert (verdict.mode, verdict.action) == (other.mode, other.action)
            assert verdict.allowed == other.allowed
            assert verdict.faults == other.faults

    def test_no_gap_is_bridged_that_would_leave_the_stoppable_range(self):
        bench = Bench(make_limits(legs=(LEG,) * 6, missing_setpoints_max=10)).engaged()
        speed = 0.0
        while bench.verdict.mode is Mode.ENGAGED:
            speed = min(speed + 0.004, 0.4)
            verdict = bench.cycle(bench.ask_speed((0.0,) * 5 + (speed,)))
            if verdict.mode is Mode.ENGAGED:
                good = bench.index
        assert checks(verdict) == [(Check.BRAKING, 6)]

        again = Bench(make_limits(legs=(LEG,) * 6, missing_setpoints_max=10)).engaged()
        speed = 0.0
        while again.index < good:
            speed = min(speed + 0.004, 0.4)
            again.cycle(again.ask_speed((0.0,) * 5 + (speed,)))
        verdict = again.cycle()
        assert (verdict.mode, verdict.action) == (Mode.CSTOP, Action.STOPPING)
        assert faults(verdict) == [(Check.MISSING, None)]
        assert "cannot go on at constant speed: leg 6: stopping point" in str(verdict.faults[0])
        until(again, Mode.HOLD)
        assert again.length_m[5] <= LEG.soft_max_m - 0.004

    def test_sequence_numbers_begin_anew_with_each_stream(self):
        bench = Bench().moving()
        bench.cycle(None, Request.HOLD)
        until(bench, Mode.HOLD)
        bench.cycle(None, Request.PARK)
        bench.sequence = 0
        assert bench.cycle(bench.ask_speed((0.001,) * 6)).action is Action.PASSED


class TestFaults:
    @pytest.mark.parametrize("leg", LEGS)
    def test_one_lost_leg_stops_and_two_quick_stop(self, leg):
        bench = Bench().moving()
        fresh = changed(YES, leg, False)
        for _ in range(2):
            verdict = bench.cycle(
                bench.ask_speed((0.1, -0.08, 0.06, -0.04, 0.02, 0.0)), fb=bench.read(fresh=fresh)
            )
            assert verdict.action is Action.PASSED
        verdict = bench.cycle(fb=bench.read(fresh=fresh))
        assert (verdict.mode, faults(verdict)) == (Mode.CSTOP, [(Check.FEEDBACK, leg)])

        other = leg % 6 + 1
        fresh = changed(fresh, other, False)
        for _ in range(3):
            verdict = bench.cycle(fb=bench.read(fresh=fresh))
        assert verdict.mode is Mode.QSTOP
        assert verdict.drives is DriveRequest.QUICK_STOP
        assert (verdict.action, verdict.allowed) == (Action.BLOCKED, None)

    def test_no_feedback_at_all_is_a_quick_stop_after_two_cycles(self):
        bench = Bench().moving()
        speed = (0.1, -0.08, 0.06, -0.04, 0.02, 0.0)
        modes = [bench.cycle(bench.ask_speed(speed), fb=None).mode for _ in range(2)]
        modes.append(bench.cycle(fb=None).mode)
        assert modes == [Mode.ENGAGED, Mode.ENGAGED, Mode.QSTOP]
        assert bench.run(50, fb=None).mode is Mode.QSTOP  # nobody can say that it stands still
        assert until(bench, Mode.FAULT).drives is DriveRequest.OFF

    @pytest.mark.parametrize(
        ("change", "check"),
        [
            ({"fault_code": (0, 0, 0x7500, 0, 0, 0)}, Check.DRIVE),
            ({"enabled": (True, True, False, True, True, True)}, Check.DRIVE),
            ({"homed": (True, True, False, True, True, True)}, Check.DRIVE),
            ({"speed_m_s": (0.0, 0.0, math.nan, 0.0, 0.0, 0.0)}, Check.FEEDBACK),
        ],
    )
    @pytest.mark.parametrize("start", ["standby", "engaging", "engaged", "moving"])
    def test_a_fault_of_one_drive_stops_all_six_at_once(self, change, check, start):
        bench = getattr(Bench(), start)()
        verdict = bench.cycle(fb=bench.read(**change))
        assert (verdict.mode, verdict.action) == (Mode.CSTOP, Action.STOPPING)
        assert faults(verdict) == [(check, 3)]
        assert until(bench, Mode.FAULT).faults == verdict.faults

    def test_a_leg_that_does_not_follow(self):
        bench = Bench(make_limits(stuck_movement_m=0.02)).moving()
        speed = (0.1, -0.08, 0.06, -0.04, 0.02, 0.0)
        stuck = bench.length_m[0]
        while bench.verdict.mode is Mode.ENGAGED:
            fb = bench.read(length_m=changed(bench.length_m, 1, stuck))
            bench.cycle(bench.ask_speed(speed), fb=fb)
        assert faults(bench.verdict) == [(Check.FOLLOWING, 1)]
        assert abs(bench.verdict.faults[0].value) < 0.004 + 0.1 * 0.02 + 5 * 0.1 * DT

    @pytest.mark.parametrize(
        ("change", "check"),
        [
            ({"elapsed_s": 3.01 * DT}, Check.PERIOD),
            ({"elapsed_s": 0.0}, Check.PERIOD),
            ({"elapsed_s": math.nan}, Check.PERIOD),
            ({"index": 10_000}, Check.PERIOD),
            ({"late_s": 3.01 * DT}, Check.LATE),
        ],
    )
    def test_invariant_18_a_cycle_out_of_time_stops(self, change, check):
        bench = Bench().moving()
        asked = bench.ask_speed((0.1, -0.08, 0.06, -0.04, 0.02, 0.0))
        verdict = bench.cycle(asked, **change)
        assert (verdict.mode, verdict.action) == (Mode.CSTOP, Action.STOPPING)
        assert faults(verdict) == [(check, None)]
        assert verdict.allowed.length_m != asked.length_m

    def test_two_causes_at_once_quick_stop(self):
        bench = Bench().moving()
        fb = bench.read(fault_code=(1, 0, 0, 0, 0, 0))
        assert bench.cycle(fb=fb, late_s=1.0).mode is Mode.QSTOP

    def test_a_second_cause_during_the_stop_quick_stops(self):
        bench = Bench().moving()
        bench.cycle(bench.setpoint(ZERO))
        assert bench.cycle(fb=bench.read(fault_code=(0, 0, 0, 0, 0, 1))).mode is Mode.QSTOP
        assert until(bench, Mode.FAULT).drives is DriveRequest.OFF

    def test_a_class_b_fault_during_an_operators_stop_ends_in_fault(self):
        bench = Bench().moving()
        bench.cycle(None, Request.HOLD)
        bench.cycle(fb=bench.read(fault_code=(1, 0, 0, 0, 0, 0)))
        assert bench.verdict.mode is Mode.CSTOP
        assert Mode.HOLD not in {bench.cycle().mode for _ in range(100)}
        assert bench.verdict.mode is Mode.FAULT

    def test_after_a_quick_stop_nothing_of_the_old_movement_is_left(self):
        bench = Bench().moving()
        bench.cycle(fb=bench.read(fault_code=(1, 1, 0, 0, 0, 0)))
        assert bench.verdict.mode is Mode.QSTOP
        until(bench, Mode.FAULT)
        bench.run(5)
        bench.cycle(reset=True)
        bench.cycle(None, Request.HOME)
        until(bench, Mode.STANDBY)
        bench.cycle(fb=bench.read(fault_code=(1, 0, 0, 0, 0, 0), enabled=NO))
        assert (bench.verdict.mode, bench.verdict.allowed) == (Mode.QSTOP, None)
        until(bench, Mode.FAULT)

    def test_a_fault_while_homing_is_a_quick_stop(self):
        bench = Bench().homing()
        moving = {"speed_m_s": (0.02,) * 6}
        verdict = bench.cycle(fb=bench.read(fault_code=(1, 0, 0, 0, 0, 0), **moving))
        assert (verdict.mode, verdict.drives) == (Mode.QSTOP, DriveRequest.QUICK_STOP)
        assert bench.run(9, fb=bench.read(**moving)).mode is Mode.QSTOP
        assert until(bench, Mode.FAULT).drives is DriveRequest.OFF

    def test_a_fault_without_power_goes_to_fault_and_keeps_the_power_off(self):
        bench = Bench().idle()
        verdict = bench.cycle(fb=bench.read(fault_code=(1, 1, 0, 0, 0, 0)))
        assert (verdict.mode, verdict.drives) == (Mode.FAULT, DriveRequest.OFF)
        assert len(verdict.faults) == 2

    def test_off_keeps_no_faults(self):
        bench = Bench()
        bench.cycle()
        verdict = bench.cycle(fb=None, late_s=1.0)
        assert checks(verdict) == [(Check.LATE, None)]
        assert (verdict.mode, verdict.faults) == (Mode.OFF, ())
        assert bench.run(9, fb=None).violations == ()

    def test_power_stays_on_after_a_fault_until_the_legs_stand_still(self):
        bench = Bench().moving()
        bench.cycle(bench.setpoint(ZERO))
        moving = {"speed_m_s": (0.01,) * 6}
        while bench.verdict.mode is not Mode.FAULT:
            bench.cycle(fb=bench.read(**moving))
        for _ in range(20):
            verdict = bench.cycle(fb=bench.read(**moving))
            assert (verdict.drives, verdict.action) == (DriveRequest.ENABLE, Action.HOLDING)
        actions = [bench.cycle().drives for _ in range(5)]
        assert actions == [DriveRequest.ENABLE] * 3 + [DriveRequest.OFF] * 2
        assert bench.verdict.allowed is None

    def test_a_silent_leg_does_not_keep_the_power_on(self):
        bench = Bench().moving()
        lost = {"fresh": changed(YES, 2, False)}
        while bench.verdict.mode is not Mode.FAULT:
            bench.cycle(fb=bench.read(**lost))
        for _ in range(6):
            verdict = bench.cycle(fb=bench.read(**lost))
        assert verdict.drives is DriveRequest.OFF

    def test_a_second_cause_in_fault_quick_stops_only_while_there_is_power(self):
        bench = Bench().moving()
        bench.cycle(bench.setpoint(ZERO))
        moving = {"speed_m_s": (0.01,) * 6}
        while bench.verdict.mode is not Mode.FAULT:
            bench.cycle(fb=bench.read(**moving))
        verdict = bench.cycle(fb=bench.read(fault_code=(1, 0, 0, 0, 0, 0), **moving))
        assert verdict.mode is Mode.QSTOP
        bench.run(5)
        assert bench.verdict.drives is DriveRequest.OFF
        verdict = bench.cycle(fb=bench.read(fault_code=(0, 1, 0, 0, 0, 0)))
        assert (verdict.mode, verdict.drives) == (Mode.FAULT, DriveRequest.OFF)
        assert faults(verdict)[-1] == (Check.DRIVE, 2)


class TestReset:
    def faulted(self):
        bench = Bench().moving()
        bench.cycle(bench.setpoint(ZERO))
        until(bench, Mode.FAULT)
        bench.run(10)
        assert bench.verdict.drives is DriveRequest.OFF
        return bench

    def test_invariant_11_reset_edge_cause_gone_and_standstill_lead_to_idle(self):
        bench = self.faulted()
        verdict = bench.cycle(reset=True)
        assert (verdict.mode, verdict.faults) == (Mode.IDLE, ())
        assert (verdict.drives, verdict.allowed) == (DriveRequest.OFF, None)
        assert bench.run(50, reset=True).mode is Mode.IDLE

    def test_invariant_11_no_reset_without_an_edge_inside_fault(self):
        bench = Bench().moving()
        bench.cycle(bench.setpoint(ZERO), reset=True)
        for _ in range(300):
            bench.cycle(reset=True)
        assert bench.verdict.mode is Mode.FAULT
        bench.cycle(reset=False)
        assert bench.cycle(reset=True).mode is Mode.IDLE

    @pytest.mark.parametrize(
        "trouble",
        [
            {"fault_code": (0, 0, 0, 0, 1, 0)},
            {"length_m": (math.nan, *START[1:])},
            {"speed_m_s": (0.0, 0.0, 0.0, 0.0, 0.0, 0.01)},
            {"fresh": (False, True, True, True, True, True)},
        ],
    )
    def test_invariant_11_no_reset_while_the_cause_is_there_and_no_later_by_the_same_edge(
        self, trouble
    ):
        bench = self.faulted()
        assert bench.cycle(fb=bench.read(**trouble), reset=True).mode is Mode.FAULT
        assert bench.run(20, reset=True).mode is Mode.FAULT
        bench.run(20)
        assert bench.cycle(reset=True).mode is Mode.IDLE

    def test_invariant_11_no_reset_without_feedback_or_out_of_time(self):
        bench = self.faulted()
        assert bench.cycle(fb=None, reset=True).mode is Mode.FAULT
        bench.run(10)
        assert bench.cycle(late_s=1.0, reset=True).mode is Mode.FAULT
        bench.run(10)
        assert bench.cycle(reset=True).mode is Mode.IDLE

    @pytest.mark.parametrize("request_", Request)
    def test_invariant_11_no_request_leaves_fault(self, request_):
        bench = self.faulted()
        assert bench.cycle(None, request_).mode is Mode.FAULT

    def test_after_a_reset_nothing_moves_until_it_is_asked_for_again(self):
        bench = self.faulted()
        bench.cycle(reset=True)
        for _ in range(30):
            verdict = bench.cycle(bench.setpoint(START))
            assert (verdict.mode, verdict.allowed) == (Mode.IDLE, None)
        bench.cycle(None, Request.HOME)
        until(bench, Mode.STANDBY)


class TestRequests:
    def test_hold_then_park_then_standby(self):
        bench = Bench().moving()
        assert bench.cycle(None, Request.HOLD).mode is Mode.CSTOP
        until(bench, Mode.HOLD)
        assert bench.run(20).action is Action.HOLDING
        verdict = bench.cycle(None, Request.PARK)
        assert (verdict.mode, verdict.action) == (Mode.PARKING, Action.HOLDING)
        assert bench.cycle(bench.ask_speed((0.004,) * 6)).action is Action.PASSED
        verdict = bench.cycle(bench.ask_speed((0.006,) * 6), Request.PARKED)
        assert verdict.mode is Mode.PARKING
        assert "PARKED refused in PARKING: the commanded state moves" in str(verdict.violations[0])
        bench.cycle(bench.ask_speed((0.002,) * 6))
        verdict = bench.cycle(None, Request.PARKED)
        assert (verdict.mode, verdict.action) == (Mode.STANDBY, Action.HOLDING)
        assert bench.cycle(None, Request.ENGAGE).mode is Mode.ENGAGING

    def test_park_in_motion_stops_first_and_at_rest_goes_at_once(self):
        bench = Bench().moving()
        assert bench.cycle(None, Request.PARK).mode is Mode.CSTOP
        assert bench.cycle(None, Request.PARK).mode is Mode.CSTOP
        for start in ("engaging", "engaged"):
            bench = getattr(Bench(), start)()
            bench.cycle(bench.ask_speed((0.003,) * 6))
            assert bench.cycle(None, Request.PARK).mode is Mode.PARKING
            assert bench.verdict.allowed.length_m == bench.history[-2].allowed.length_m
            assert bench.verdict.allowed.speed_m_s == ZERO
            assert bench.cycle(bench.ask_speed((0.003,) * 6)).action is Action.PASSED

    def test_park_while_parking_changes_nothing(self):
        bench = Bench().engaged()
        bench.cycle(None, Request.PARK)
        for i in range(1, 20):
            bench.cycle(bench.ask_speed((0.002 * i,) * 6))
        verdict = bench.cycle(None, Request.PARK)
        assert (verdict.mode, verdict.action) == (Mode.PARKING, Action.BRIDGED)
        assert bench.cycle(bench.ask_speed((0.038,) * 6), Request.PARK).action is Action.PASSED

    def test_park_in_standby_and_shut_down_in_off_change_nothing(self):
        bench = Bench().standby()
        held = bench.gate.commanded
        verdict = bench.cycle(None, Request.PARK)
        assert (verdict.mode, verdict.violations) == (Mode.STANDBY, ())
        assert bench.gate.commanded.length_m == held.length_m
        verdict = Bench().cycle(None, Request.SHUT_DOWN)
        assert (verdict.mode, verdict.violations) == (Mode.OFF, ())

    @pytest.mark.parametrize("speed", [0.00401, -0.00401])
    def test_at_rest_means_standstill_speed_and_one_cycle_of_braking(self, speed):
        bench = Bench().engaged()
        bench.cycle(bench.ask_speed(changed(ZERO, 6, speed)))
        assert bench.cycle(None, Request.PARK).mode is Mode.CSTOP
        slow = make_limits(standstill_speed_m_s=0.02)  # a*dt = 4 mm/s on leg 1 is less
        bench = Bench(slow).engaged()
        bench.cycle(bench.ask_speed(changed(ZERO, 1, speed)))
        assert bench.cycle(None, Request.PARK).mode is Mode.CSTOP

    def test_each_stop_is_a_whole_ramp(self):
        bench = Bench().moving()
        bench.cycle(None, Request.HOLD)
        until(bench, Mode.HOLD)
        bench.cycle(None, Request.PARK)
        for i in range(1, 21):
            bench.cycle(bench.ask_speed((-0.004 * i,) * 6))
        before, movement = bench.length_m, bench.movement()
        verdict = bench.cycle(None, Request.HOLD)
        assert (verdict.mode, verdict.action) == (Mode.CSTOP, Action.STOPPING)
        ends = tuple(stop_ends(bench.limits, before, movement))
        assert until(bench, Mode.HOLD).allowed.length_m == pytest.approx(ends, abs=1e-12)

    def test_shut_down(self):
        assert Bench().idle().cycle(None, Request.SHUT_DOWN).mode is Mode.OFF
        bench = Bench().standby()
        verdict = bench.cycle(None, Request.SHUT_DOWN, fb=bench.read(speed_m_s=(0.01,) * 6))
        assert verdict.mode is Mode.STANDBY
        assert "a leg is not measured at standstill" in str(verdict.violations[0])
        bench.run(5)
        verdict = bench.cycle(None, Request.SHUT_DOWN)
        assert (verdict.mode, verdict.drives) == (Mode.OFF, DriveRequest.OFF)
        assert verdict.allowed is None
        bench = Bench().moving()
        assert bench.cycle(None, Request.SHUT_DOWN).mode is Mode.CSTOP
        until(bench, Mode.HOLD)
        bench.run(5)
        assert bench.cycle(None, Request.SHUT_DOWN).mode is Mode.OFF
        assert bench.gate.commanded is None

    def test_a_stop_while_homing_ends_in_idle_and_never_homes_on(self):
        bench = Bench().homing()
        moving = {"speed_m_s": (0.02,) * 6}
        bench.cycle(None, Request.HOLD, fb=bench.read(**moving))
        assert bench.verdict.drives is DriveRequest.QUICK_STOP
        assert bench.run(5, fb=bench.read(**moving)).mode is Mode.QSTOP
        verdict = until(bench, Mode.IDLE)
        assert (verdict.drives, verdict.faults) == (DriveRequest.OFF, ())

    def test_of_several_requests_the_most_cautious_is_obeyed_and_the_rest_refused(self):
        bench = Bench().moving()
        verdict = bench.cycle(None, Request.RISEN, Request.HOLD, Request.ENGAGE)
        assert verdict.mode is Mode.CSTOP
        refused = [v for v in verdict.violations if v.check is Check.REQUEST]
        assert [str(v) for v in refused] == [
            "request: ENGAGE refused in ENGAGED: HOLD goes first",
            "request: RISEN refused in ENGAGED: HOLD goes first",
        ]
        assert [v.request for v in refused] == [Request.ENGAGE, Request.RISEN]

    def test_what_the_operator_is_told_of_a_refused_request_is_what_the_gate_said(self):
        verdict = Bench().idle().cycle(None, *Request)
        said = [v.note for v in verdict.violations if v.check is Check.REQUEST]
        found = [refusal_of(one, verdict) for one in sorted(Request, key=lambda one: one.name)]
        assert [one for one in found if one] == said
        assert len(said) >= len(Request) - 1

    def test_a_fault_goes_before_any_request(self):
        bench = Bench().engaging()
        verdict = bench.cycle(None, Request.RISEN, fb=bench.read(fault_code=(1, 0, 0, 0, 0, 0)))
        assert verdict.mode is Mode.CSTOP
        assert "RISEN refused in CSTOP: a fault goes first" in str(verdict.violations[-1])

    def test_requests_that_do_not_belong_are_refused_with_a_word(self):
        bench = Bench().idle()
        verdict = bench.cycle(None, Request.ENGAGE)
        assert verdict.mode is Mode.IDLE
        assert str(verdict.violations[0]) == (
            "request: ENGAGE refused in IDLE: this mode does not take it"
        )


class TestLockout:
    @pytest.mark.parametrize("start", ["idle", "homing", "standby", "engaged", "moving"])
    @pytest.mark.pure_build
    def test_what_breaks_inside_locks_the_gate(self, start, monkeypatch):
        bench = getattr(Bench(), start)()
        powered = bench.drives is not DriveRequest.OFF

        def broken(*_):
            raise ZeroDivisionError("seven")

        monkeypatch.setattr(bench.gate._feedback, "step", broken)
        verdict = bench.cycle(fb=bench.read(speed_m_s=(0.1,) * 6))
        assert (verdict.mode, verdict.action, verdict.allowed) == (
            Mode.LOCKOUT,
            Action.BLOCKED,
            None,
        )
        assert str(verdict.faults[-1]) == "gate self-check: ZeroDivisionError: seven"
        wanted = DriveRequest.QUICK_STOP if powered else DriveRequest.OFF
        assert verdict.drives is wanted
        assert bench.gate.commanded is None

    @pytest.mark.pure_build
    def test_what_breaks_is_reported_beside_an_older_cause(self, monkeypatch):
        """The cause of a stop that nobody has acted after does not hide that the gate broke."""
        bench = Bench().engaged()
        bench.cycle(None, absent="gone")
        bench.run(20)
        bench.cycle(None, Request.SHUT_DOWN)  # acknowledges the stop, and opens nothing
        assert [fault.check for fault in bench.verdict.faults] == [Check.CONTROL]
        monkeypatch.setattr(bench.gate._still, "step", None)
        faults = bench.cycle().faults
        assert [fault.check for fault in faults] == [Check.CONTROL, Check.INTERNAL]

    def test_invariant_11_a_locked_gate_stays_locked(self):
        bench = Bench().moving()
        bench.gate._command.target = None
        assert bench.cycle().mode is Mode.LOCKOUT
        assert bench.verdict.drives is DriveRequest.QUICK_STOP
        for reset in (False, True) * 20:
            verdict = bench.cycle(bench.setpoint(START), *Request, reset=reset)
            assert (verdict.mode, verdict.allowed) == (Mode.LOCKOUT, None)
        assert verdict.drives is DriveRequest.OFF

    @pytest.mark.pure_build
    def test_a_gate_that_breaks_before_power_up_asks_nothing_of_the_drives(self, monkeypatch):
        bench = Bench()
        monkeypatch.setattr(bench.gate._still, "step", None)
        verdict = bench.cycle()
        assert (verdict.mode, verdict.drives) == (Mode.LOCKOUT, DriveRequest.OFF)

    def test_a_locked_gate_judges_no_feedback(self):
        bench = Bench().moving()
        bench.gate._command.target = None
        bench.cycle()
        assert bench.run(9, fb=None).violations == ()

    @pytest.mark.parametrize("leg", LEGS)
    def test_the_gate_checks_its_own_output(self, leg):
        """Every way in which an output could be wrong is caught by the second look."""
        limits = make_limits()
        leg_limits = limits.legs[leg - 1]
        dt = limits.period_s
        step = leg_limits.speed_max_m_s * dt
        near_end = changed(START, leg, leg_limits.soft_max_m)
        wrong = [
            (START, ZERO, changed(START, leg, math.nan), ZERO),
            (START, ZERO, START, changed(ZERO, leg, math.nan)),
            (START, ZERO, START, changed(ZERO, leg, math.inf)),
            (START, ZERO, START, changed(ZERO, leg, leg_limits.speed_max_m_s * 1.001)),
            (START, ZERO, START, changed(ZERO, leg, -leg_limits.speed_max_m_s * 1.001)),
            (near_end, ZERO, changed(START, leg, leg_limits.soft_max_m + 1e-9), ZERO),
            (
                changed(START, leg, leg_limits.soft_min_m),
                ZERO,
                changed(START, leg, leg_limits.soft_min_m - 1e-9),
                ZERO,
            ),
        ]
        for sign in (1.0, -1.0):
            moving = changed(ZERO, leg, sign * step)
            further = changed(START, leg, START[leg - 1] + sign * (step + 1e-9))
            wrong.append((START, moving, further, ZERO))
            jump = sign * (leg_limits.acceleration_max_m_s2 * dt**2 + 1e-9)
            wrong.append((START, ZERO, changed(START, leg, START[leg - 1] + jump), ZERO))
        right = CommandedState(limits)
        right.start(START)
        right.advance(START, ZERO)
        for start, movement, length, speed in wrong:
            command = CommandedState(limits)
            command.start(start)
            command.movement_m = movement
            with pytest.raises(GateInconsistentError, match=f"leg {leg}: would go from"):
                command.advance(length, speed)
            assert command.target.length_m == start

    def test_a_wrong_output_locks_the_gate(self, monkeypatch):
        bench = Bench().moving()
        bench.cycle(None, Request.HOLD)
        ramp = bench.gate._command._ramp
        bench.gate._command._ramp = replace(ramp, start_m=changed(ramp.start_m, 4, 1.2))
        verdict = bench.cycle()
        assert (verdict.mode, verdict.allowed) == (Mode.LOCKOUT, None)
        assert "leg 4: would go from" in str(verdict.faults[-1])

    @pytest.mark.parametrize("event", [None, Event.RISEN])
    @pytest.mark.pure_build
    def test_a_blocked_setpoint_that_would_not_stop_locks_the_gate(self, event, monkeypatch):
        bench = Bench().moving()
        monkeypatch.setattr(bench.gate, "_fault_event", lambda found: event)
        verdict = bench.cycle(bench.setpoint(ZERO))
        assert (verdict.mode, verdict.allowed) == (Mode.LOCKOUT, None)
        assert "would not stop the platform" in str(verdict.violations[-1])

    def test_without_a_commanded_state_there_is_nothing_to_go_on_from(self):
        command = CommandedState(make_limits())
        with pytest.raises(GateInconsistentError, match="no commanded state"):
            command.advance(START, ZERO)
        command.begin_stop()
        assert command.stopped


def test_a_command_that_was_dropped_begins_anew_at_rest():
    command = CommandedState(make_limits())
    command.start(START)
    command.advance(tuple(x + 1e-6 for x in START), (1e-6 / DT,) * 6)
    assert not command.stopped
    command.drop()
    command.start(START)
    assert command.stopped
    assert command.movement_m == ZERO


def test_inputs_are_frozen_and_ask_nothing_by_themselves():
    inputs = GateInputs(0, DT, 0.0, None, 0.0, None)
    assert (inputs.requests, inputs.reset) == ((), False)
    assert not hasattr(inputs, "__dict__")
    with pytest.raises(AttributeError):
        inputs.reset = True


def test_the_limits_of_a_gate_can_be_read():
    bench = Bench()
    assert bench.gate.limits is bench.limits
    assert bench.gate.mode is Mode.OFF


def test_the_gate_loads_the_standard_library_only():
    code = (
        "import sys; before = set(sys.modules); "
        f"sys.path.insert(0, {str(__import__('pathlib').Path(__file__).parents[2])!r}); "
        "import safety.gate; "
        "print(*sorted({m.split('.')[0] for m in set(sys.modules) - before}))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "safety" in loaded
    assert loaded - {"safety", "hil_common"} <= set(sys.stdlib_module_names)
