"""An independent judge of what a gate lets out.

It watches inputs and verdicts from outside, recomputes every bound from the limits alone, and
shares no code with the gate. Each broken rule raises AssertionError with its name.
"""

import math

from safety_samples import EPS, ZERO, stop_ends

from safety.modes import Mode
from safety.verdict import Action, DriveRequest

MAY_COMMAND = {
    Mode.STANDBY,
    Mode.ENGAGING,
    Mode.ENGAGED,
    Mode.PARKING,
    Mode.CSTOP,
    Mode.HOLD,
    Mode.FAULT,
}
MAY_MOVE = {Mode.ENGAGING, Mode.ENGAGED, Mode.PARKING, Mode.CSTOP}
FOLLOWS = {Action.PASSED, Action.BRIDGED}


def newer(a, b):
    return 0 < (a - b) % 2**32 < 2**31


class Judge:
    def __init__(self, limits):
        self.limits = limits
        self.dt = limits.period_s
        self.mode = Mode.OFF
        self.last = None  # lengths allowed in the cycle before
        self.movement = ZERO
        self.stop_left = 0
        self.bridged = 0
        self.streaming = False
        self.sequence = None
        self.index = None
        self.lead_s = 0.0
        self.still = 0
        self.missing = [0] * 6
        self.outside = [0] * 6
        self.reset_low = False
        self.power_cut = False
        self.slowest_m_s = None
        self.passed = 0
        self.fresh_m = None  # last fresh lengths, while the legs were homed and commanded
        self.frozen = [[] for _ in range(6)]  # commands during one and the same measured length
        self.frozen_moved = [0] * 6
        self.jumped = False
        self.elapsed_s = limits.period_s
        self.differing = 0
        self.discrepant = False
        self.closed = False  # the gate has stopped, and nobody has acted since
        self.since = 0
        self.parked = False

    def watch(self, inputs, verdict):
        self._inputs(inputs, verdict)
        self._modes(inputs, verdict)
        self._power(inputs, verdict)
        if verdict.allowed is None:
            assert verdict.action is Action.BLOCKED, "1: blocked means nothing is sent"
            self.last, self.movement = None, ZERO
        else:
            assert verdict.action is not Action.BLOCKED, "1: blocked means nothing is sent"
            if self.last is None:
                self._first(inputs, verdict)
            self._allowed(inputs, verdict)
        self._interlock(inputs, verdict)
        self.mode = verdict.mode
        self.reset_low = verdict.mode is Mode.FAULT and not inputs.reset

    # What the inputs are worth, by the limits

    def _inputs(self, inputs, verdict):
        limits, feedback = self.limits, inputs.feedback
        good = inputs.late_s <= 3.0 * self.dt
        if self.index is not None:
            good = good and inputs.index == self.index + 1
            good = good and 0.0 < inputs.elapsed_s <= 3.0 * self.dt
            self.lead_s = max(0.0, self.lead_s + self.dt - inputs.elapsed_s)
            good = good and self.lead_s <= self.dt * 1.00001
        self.index = inputs.index
        self.in_time = good
        if not good:
            self.lead_s = 0.0
        for i in range(6):
            fresh = feedback is not None and feedback.fresh[i]
            self.missing[i] = 0 if fresh else self.missing[i] + 1
            if fresh and self.last is not None:
                speed = abs(self.movement[i]) / self.dt
                window = limits.following_base_m + limits.following_per_speed_s * speed
                near = abs(feedback.length_m[i] - self.last[i]) <= window * (1 + 1e-9)
                self.outside[i] = 0 if near else self.outside[i] + 1
        self.healthy = (
            feedback is not None
            and not any(feedback.fault_code)
            and all(
                math.isfinite(x) and math.isfinite(v)
                for x, v, fresh in zip(
                    feedback.length_m, feedback.speed_m_s, feedback.fresh, strict=True
                )
                if fresh
            )
        )
        self._plausible(inputs, feedback)
        self._estop(inputs.estop)
        standing = self.healthy or (feedback is not None and all(feedback.fresh))
        standing = standing and all(feedback.fresh)
        standing = standing and all(
            abs(v) <= limits.standstill_speed_m_s for v in feedback.speed_m_s
        )
        self.still = self.still + 1 if standing else 0

    def _plausible(self, inputs, feedback):
        """Did a length leap, or stay the same to the last bit while its command moved?"""
        limits = self.limits
        longest_s = max(self.elapsed_s, inputs.elapsed_s, self.dt)
        self.elapsed_s = inputs.elapsed_s
        self.jumped = False
        if feedback is None or self.last is None or not all(feedback.fresh):
            self.fresh_m = None
            self.frozen = [[] for _ in range(6)]
            self.frozen_moved = [0] * 6
            return
        for i, leg in enumerate(limits.legs):
            length, window = feedback.length_m[i], limits.stuck_cycles
            if self.fresh_m is not None:
                leap = leg.speed_max_m_s * limits.jump_speed_factor * longest_s + limits.jump_base_m
                self.jumped = self.jumped or abs(length - self.fresh_m[i]) > leap * (1 + 1e-9)
            same = self.fresh_m is not None and length == self.fresh_m[i]
            self.frozen[i] = [*(self.frozen[i] if same else []), self.last[i]]
            commands = self.frozen[i]
            moved = len(commands) > window and (
                abs(commands[-1] - commands[-1 - window]) > limits.stuck_movement_m * (1 + 1e-9)
            )
            self.frozen_moved[i] = self.frozen_moved[i] + 1 if moved else 0
        self.fresh_m = feedback.length_m

    def _estop(self, channels):
        self.estop_good = not self.limits.estop_fitted or channels == (True, True)
        if not self.limits.estop_fitted or channels is None:
            return
        self.differing = self.differing + 1 if channels[0] != channels[1] else 0
        if self.differing > self.limits.estop_discrepancy_cycles:
            self.discrepant = True
        if channels == (False, False):
            self.discrepant = False

    def _interlock(self, inputs, verdict):
        """After a stop by the gate itself a person's newer act comes before any start."""
        self.since += 1
        if 0.0 <= inputs.act_age_s < self.since * self.dt:
            self.closed = self.parked = False
        if verdict.mode is not self.mode and self.closed:
            started = verdict.mode in (Mode.HOMING, Mode.ENGAGING, Mode.ENGAGED)
            assert not started, "restart: started again without an act"
            if verdict.mode is Mode.PARKING:
                assert not self.parked, "restart: parked twice without an act"
                assert self.mode is Mode.HOLD, "restart: parked from elsewhere than HOLD"
                self.parked = True
        causes = [v for v in verdict.violations if v.severity >= 1]
        if self.mode is Mode.OFF:
            causes = [v for v in causes if v.check.name == "CONTROL"]
        if causes:
            self.closed, self.since = True, 0

    def _modes(self, inputs, verdict):
        before, after = self.mode, verdict.mode
        if before is Mode.LOCKOUT:
            assert after is Mode.LOCKOUT, "11: lockout has no exit"
        if before is Mode.FAULT and after not in (Mode.FAULT, Mode.QSTOP, Mode.LOCKOUT):
            assert after is Mode.IDLE, "11: fault leads to idle only"
            assert inputs.reset, "11: a reset"
            assert self.reset_low, "11: its rising edge, in fault"
            assert self.healthy, "11: the cause is gone"
            assert all(inputs.feedback.fresh), "11: the cause is gone"
            assert self.in_time, "11: the cause is gone"
            assert self.still >= self.limits.standstill_cycles, "11: standstill"
            assert self.estop_good, "45: the emergency stop is open"
            assert not self.discrepant, "46: the channels of the emergency stop differed"
        if after is Mode.ENGAGED:
            assert before in (Mode.ENGAGING, Mode.ENGAGED), "nothing re-enters ENGAGED by itself"

    def _power(self, inputs, verdict):
        open_now = self.limits.estop_fitted and inputs.estop is not None and not self.estop_good
        if open_now and verdict.mode is not Mode.OFF:
            assert verdict.allowed is None, "45: nothing is commanded with an open emergency stop"
            assert verdict.drives in (DriveRequest.QUICK_STOP, DriveRequest.OFF), "45: quick stop"
        if verdict.drives is DriveRequest.QUICK_STOP or (
            verdict.mode is Mode.FAULT and verdict.drives is DriveRequest.OFF
        ):
            self.power_cut = True
        if verdict.mode in (Mode.OFF, Mode.IDLE):
            assert verdict.drives is DriveRequest.OFF, "10: no enable bit"
            self.power_cut = False
        if self.power_cut:
            assert verdict.drives is not DriveRequest.ENABLE, "no power again without a request"
        self._quick_stop(inputs, verdict)

    def _quick_stop(self, inputs, verdict):
        """In a quick stop no leg becomes much faster than it was and keeps its power."""
        if verdict.drives is not DriveRequest.QUICK_STOP:
            self.slowest_m_s = None
            return
        if inputs.feedback is None:
            return
        speeds = [abs(v) for v in inputs.feedback.speed_m_s]
        if self.slowest_m_s is None:
            self.slowest_m_s = speeds
        for leg, limits in enumerate(self.limits.legs):
            if inputs.feedback.fresh[leg]:
                gained = speeds[leg] - self.slowest_m_s[leg]
                assert gained <= 0.1 * limits.acceleration_max_m_s2, "QSTOP: a leg runs away"

    # What was let out

    def _first(self, inputs, verdict):
        feedback = inputs.feedback
        assert verdict.mode is Mode.STANDBY, "6: the command begins in standby"
        assert verdict.allowed.length_m == feedback.length_m, "6: first equals measured"
        assert verdict.allowed.speed_m_s == ZERO, "6: with zero speed"
        assert self.still >= self.limits.standstill_cycles, "6: at standstill"
        assert all(feedback.enabled), "6: enabled"
        assert all(feedback.homed), "6: homed"
        self.last = verdict.allowed.length_m

    def _allowed(self, inputs, verdict):
        allowed, limits, dt = verdict.allowed, self.limits, self.dt
        assert verdict.mode in MAY_COMMAND, "10: this mode commands nothing"
        assert verdict.drives is DriveRequest.ENABLE, "10: only to enabled drives"
        assert all(map(math.isfinite, allowed.length_m + allowed.speed_m_s)), "1: finite"
        movement = tuple(b - a for a, b in zip(self.last, allowed.length_m, strict=True))
        if verdict.mode not in MAY_MOVE:
            assert movement == ZERO, "10: this mode moves nothing"
        ends = stop_ends(limits, allowed.length_m, movement)
        for i, leg in enumerate(limits.legs):
            length, move, before = allowed.length_m[i], movement[i], self.movement[i]
            assert leg.soft_min_m <= length <= leg.soft_max_m, "2: soft limits"
            assert abs(move) <= leg.speed_max_m_s * dt + EPS, "3: speed"
            assert abs(move - before) <= leg.acceleration_max_m_s2 * dt**2 + EPS, "3: acceleration"
            assert abs(allowed.speed_m_s[i]) <= leg.speed_max_m_s + 1e-5, "3: asked speed"
            mismatch = abs(allowed.speed_m_s[i] - move / dt)
            assert mismatch <= leg.acceleration_max_m_s2 * dt + 1e-5, "3: feed-forward"
            per_speed = limits.following_per_speed_s + limits.reaction_time_s
            margin = limits.following_base_m + per_speed * abs(move) / dt
            low, high = leg.soft_min_m + margin - EPS, leg.soft_max_m - margin + EPS
            assert low <= ends[i] <= high, "4: stoppable"
        self._stream(inputs, verdict)
        self._stop(verdict, movement)
        self.last, self.movement = allowed.length_m, movement

    def _stream(self, inputs, verdict):
        limits, feedback = self.limits, inputs.feedback
        if verdict.action in FOLLOWS:
            assert self.in_time, "18: out of time is never followed"
            assert self.healthy or feedback is None, "drives in trouble are never followed"
            assert feedback is None or all(feedback.enabled), "drives in trouble"
            assert not self.jumped, "25: a measured length jumped"
            assert max(self.frozen_moved) <= limits.stuck_cycles + 1, "24: a length is stuck"
            assert self.estop_good, "45: the emergency stop is open"
            assert not self.discrepant, "46: the channels of the emergency stop differed"
            assert max(self.missing) <= limits.missing_feedback_max, "feedback is missing"
            assert max(self.outside) < limits.following_cycles, "following error"
        self.bridged = self.bridged + 1 if verdict.action is Action.BRIDGED else 0
        assert self.bridged <= limits.missing_setpoints_max, "too many setpoints are missing"
        if verdict.action is Action.PASSED:
            self.passed += 1
            assert verdict.allowed.length_m == inputs.asked.length_m, "passed means unchanged"
            assert inputs.setpoint_age_s <= limits.setpoint_age_max_s, "13: age"
            if self.streaming:
                assert newer(inputs.asked.sequence, self.sequence), "13: sequence"
            else:
                offset = max(
                    abs(a - b) for a, b in zip(self.last, verdict.allowed.length_m, strict=True)
                )
                assert offset <= limits.start_tolerance_m, "the stream starts elsewhere"
            self.sequence = inputs.asked.sequence
        self.streaming = verdict.action in FOLLOWS

    def _stop(self, verdict, movement):
        if verdict.action in FOLLOWS:
            self.stop_left = None
            return
        largest = max(range(6), key=lambda i: abs(self.movement[i]))
        whole = self.movement[largest]
        factor = 0.0 if whole == 0.0 else movement[largest] / whole
        assert 0.0 <= factor <= 1.0, "5: a stop never speeds up or turns round"
        for move, before in zip(movement, self.movement, strict=True):
            assert abs(move - factor * before) <= EPS, "7: six legs share one factor"
        if self.stop_left is None:
            longest = max(
                abs(u) / (leg.stop_deceleration_m_s2 * self.dt**2)
                for u, leg in zip(self.movement, self.limits.legs, strict=True)
            )
            self.stop_left = math.ceil(longest - 1e-9) + 1
        self.stop_left = max(0, self.stop_left - 1)
        if self.stop_left == 0:
            assert movement == ZERO, "5: the stop ends within v/a + 2T"
