"""The gate once more, in plain numbers, written from the safety manual: an oracle for a fuzz.

It shares no code with `safety/`: modes, checks and actions are words, a violation is (check, leg,
class 0 to 3), and the stop is added up cycle by cycle. The self-check and its lockout are left out:
nothing that comes in from outside leads there.
"""

import math

from lag_model import LagModel

INFORM, HOLD, STOP, QUICK = range(4)
FOLLOWING = ("ENGAGING", "ENGAGED", "PARKING")
HOMED = (*FOLLOWING, "STANDBY", "CSTOP", "HOLD")
CAUTION = ("SHUT_DOWN", "HOLD", "PARK", "PARKED", "RISEN", "ENGAGE", "HOME", "CONFIGURED")
SETPOINT = ("FINITE", "POSITION", "SPEED", "ACCELERATION", "BRAKING", "SPEED_MISMATCH")
SETPOINT = (*SETPOINT, "STALE", "MISSING", "SEQUENCE", "START")
SIX = range(6)


class GateModel:
    """One gate.

    Args:
        limits: of the gate; only its numbers are read.
        led: whether a person leads the run.
    """

    def __init__(self, limits, led):
        self.limits, self.led, self.dt = limits, led, limits.period_s
        self.mode, self.released, self.reset_low = "OFF", True, False
        self.index, self.lead = None, 0.0
        self.missing, self.outside = [0] * 6, [0] * 6
        self.seen, self.seen_cmd, self.elapsed = None, None, self.dt
        self.silent, self.same, self.anchor = [0.0] * 6, [0] * 6, [0.0] * 6
        self.strong, self.heavy = [0] * 6, [0] * 6
        self.lag = LagModel(limits)
        self.differing, self.discrepant = 0, False
        self.still_at, self.still_for = [None] * 6, [0] * 6
        self.all_still = self.heard_still = 0
        self.quick_cycles, self.quick_failed, self.quick_limit = 0, False, [0.0] * 6
        self.at, self.move, self.stopping = None, [0.0] * 6, None
        self.waiting, self.sequence, self.missed = True, None, 0
        self.latched, self.causes = {}, {}
        self.since, self.parked = 0, False

    # --- one cycle ------------------------------------------------------------------------------

    def step(self, i):
        """One cycle: (mode, action, drives, allowed lengths and speeds, violations, faults)."""
        self.found = []
        self.read = i.feedback
        self.since += 1
        if self.causes and 0.0 <= i.act_age_s < self.since * self.dt:
            self.causes, self.parked = {}, False
        if i.absent:
            self.found.append(("CONTROL", None, HOLD))
        self._standstill(i.feedback)
        self._time(i)
        if self.mode not in ("OFF", "LOCKOUT"):
            homed = self.mode in HOMED
            self._feedback(i.feedback, homed)
            self._age(i.feedback)
            if self.mode != "IDLE":
                self._force(i.feedback)
            self._warnings(i.feedback)
            if homed:
                told = len(self.found)
                self._plausible(i.feedback, i.elapsed_s)
                if len(self.found) > told:
                    self.lag.forget()
                else:
                    late = self.lag.step(i.feedback, self.at)
                    self.found += [("LAG", leg, STOP) for leg in late]
            else:
                self.seen = None
                self.lag.forget()
            if self.limits.estop_fitted:
                self._estop(i.estop)
        if self.mode == "QSTOP":
            self._quick_stop(i.feedback)
        if self.found or i.requests or self.mode not in FOLLOWING:
            self._modes(i)
        self.reset_low = not i.reset
        action, speed = self._output(i)
        allowed = None if action == "BLOCKED" else (tuple(self.at), tuple(speed))
        faults = {(c, leg, s) for (c, leg), ss in (self.causes or self.latched).items() for s in ss}
        return self.mode, action, self._drives(), allowed, set(self.found), faults

    def _drives(self):
        if self.mode == "FAULT" and not self.released:
            return "ENABLE"
        words = {"HOMING": "HOME", "QSTOP": "QUICK_STOP"}
        return words.get(self.mode, "ENABLE" if self.mode in HOMED else "OFF")

    # --- what is read ---------------------------------------------------------------------------

    def _standstill(self, read):
        limit, cycles = self.limits.standstill_speed_m_s, max(2, self.limits.standstill_cycles)
        way = limit * self.dt * (cycles - 1) * (1.0 + 1e-9)
        legs = [] if read is None else [k for k in SIX if read.fresh[k]]
        good = bool(legs)
        for k in SIX:
            if k not in legs:
                self.still_at[k] = None
        good = good and all(abs(read.speed_m_s[k]) <= limit for k in legs)
        for k in legs if good else ():
            if self.still_at[k] is None:
                self.still_at[k], self.still_for[k] = read.length_m[k], 0
                continue
            if not abs(read.length_m[k] - self.still_at[k]) <= way:
                good = False
                break
            self.still_for[k] += 1
            if self.still_for[k] == cycles - 1:
                self.still_at[k], self.still_for[k] = read.length_m[k], 0
        if not good:
            self.still_at = [None] * 6
        self.heard_still = self.heard_still + 1 if good else 0
        self.all_still = self.all_still + 1 if good and len(legs) == 6 else 0
        self.stands = self.all_still >= cycles
        self.those_heard_stand = self.heard_still >= cycles

    def _time(self, i):
        longest = self.limits.late_cycles_max * self.dt
        if not i.late_s <= longest:
            self.found.append(("LATE", None, STOP))
        before, self.index = self.index, i.index
        if before is None:
            return
        if i.index != before + 1 or not 0.0 < i.elapsed_s <= longest:
            self.found.append(("PERIOD", None, STOP))
        lead = self.lead + self.dt - i.elapsed_s
        self.lead = lead if lead > 0.0 else 0.0
        if self.lead > self.dt * (1.0 + 1e-6):
            self.lead = 0.0
            self.found.append(("PERIOD", None, STOP))

    def _feedback(self, read, homed_needed):
        limits = self.limits
        for k in SIX:
            fresh = read is not None and read.fresh[k]
            self.missing[k] = 0 if fresh else self.missing[k] + 1
            if self.missing[k] > limits.missing_feedback_max:
                self.found.append(("FEEDBACK", k + 1, STOP))
            if read is None:
                continue
            if read.fault_code[k]:
                self.found.append(("DRIVE", k + 1, STOP))
            if homed_needed and not read.homed[k]:
                self.found.append(("DRIVE", k + 1, STOP))
            if self.at is not None and not read.enabled[k]:
                self.found.append(("DRIVE", k + 1, STOP))
            if not fresh:
                continue
            if not (math.isfinite(read.length_m[k]) and math.isfinite(read.speed_m_s[k])):
                self.found.append(("FEEDBACK", k + 1, STOP))
            if self.at is None:
                continue
            window = limits.following_base_m
            window += limits.following_per_speed_s * abs(self.move[k]) / self.dt
            near = abs(read.length_m[k] - self.at[k]) <= window
            self.outside[k] = 0 if near else self.outside[k] + 1
            if self.outside[k] >= limits.following_cycles:
                self.found.append(("FOLLOWING", k + 1, STOP))

    def _age(self, read):
        most = self.limits.feedback_lag_growth_s
        for k in SIX if read is not None else ():
            if read.fresh[k] and not abs(read.age_s[k]) <= most:
                self.found.append(("LAG", k + 1, STOP))

    def _force(self, read):
        for k in SIX if read is not None else ():
            if not read.fresh[k]:
                continue
            leg, force = self.limits.legs[k], abs(read.force_n[k])
            self.strong[k] = self.strong[k] + 1 if force > leg.force_max_n else 0
            self.heavy[k] = self.heavy[k] + 1 if force > leg.force_expected_n else 0
            if self.strong[k] >= self.limits.force_cycles:
                self.found.append(("FORCE", k + 1, STOP))
            elif self.heavy[k] >= self.limits.force_cycles:
                self.found.append(("FORCE", k + 1, INFORM))

    def _warnings(self, read):
        if read is not None:
            warned = [k + 1 for k in SIX if read.warning_code[k]]
            warned += [reading.leg for reading in read.high]
            self.found += [("WARNING", leg, INFORM) for leg in warned]

    def _plausible(self, read, elapsed):
        limits = self.limits
        longest = max([self.dt] + [t for t in (self.elapsed, elapsed) if t > self.dt])
        self.elapsed = elapsed
        if read is None:
            self.silent = [s + longest for s in self.silent]
            return
        command = None if self.at is None else list(self.at)
        if self.seen is None:
            self.seen = list(read.length_m) if all(read.fresh) else None
            self.seen_cmd, self.same, self.silent = command, [0] * 6, [0.0] * 6
            return
        for k in SIX:
            self.silent[k] += longest
            if not read.fresh[k]:
                continue
            length, before, time = read.length_m[k], self.seen[k], self.silent[k]
            self.seen[k], self.silent[k] = length, 0.0
            way = limits.legs[k].speed_max_m_s * limits.jump_speed_factor * time
            if math.isfinite(length - before) and abs(length - before) > way + limits.jump_base_m:
                self.found.append(("JUMP", k + 1, STOP))
            if length != before or command is None:
                self.same[k] = 0
                continue
            if self.same[k] == 0:
                self.anchor[k] = (self.seen_cmd or command)[k]
            self.same[k] += 1
            if self.same[k] >= limits.stuck_cycles:
                if abs(command[k] - self.anchor[k]) > limits.stuck_movement_m:
                    self.found.append(("STUCK", k + 1, STOP))
                else:
                    self.same[k] = 0
        self.seen_cmd = command

    def _estop(self, channels):
        if channels is None:
            self.found.append(("ESTOP", None, STOP))
            return
        if not all(channels):
            self.found.append(("ESTOP", None, QUICK))
        self.differing = self.differing + 1 if channels[0] != channels[1] else 0
        if self.differing > self.limits.estop_discrepancy_cycles:
            self.discrepant = True
        if not any(channels):
            self.discrepant = False
        if self.discrepant:
            self.found.append(("ESTOP_DISCREPANCY", None, STOP))

    def _quick_stop(self, read):
        legs = self.limits.legs
        ramp = max(leg.speed_max_m_s / leg.stop_deceleration_m_s2 for leg in legs)
        patience = self.limits.standstill_cycles + math.ceil((3.0 * ramp + 0.05) / self.dt)
        self.quick_cycles += 1
        bad = []
        for k in SIX:
            fast = read is not None and read.fresh[k]
            if fast and not abs(read.speed_m_s[k]) <= self.quick_limit[k]:
                bad.append(("QUICK_STOP", k + 1, QUICK))
        if self.quick_cycles == patience + 1:
            bad.append(("QUICK_STOP", None, QUICK))
        self.quick_failed = self.quick_failed or bool(bad)
        self.found += bad

    # --- modes ----------------------------------------------------------------------------------

    def _modes(self, i):
        before, clean = self.mode, all(severity < HOLD for _, _, severity in self.found)
        reaction = self._latch(self.found)
        if reaction == STOP and self.mode == "STANDBY" and self.at is None:
            reaction = QUICK
        self._react(reaction)
        if i.requests:
            self._ask(min(i.requests, key=lambda r: CAUTION.index(r.name)).name, reaction)
        if self.mode == before:
            self._see(i, clean)

    def _latch(self, found):
        """The reaction that is due now; 0 for none."""
        if self.mode == "OFF":
            found = [each for each in found if each[0] == "CONTROL"]
        found = [each for each in found if each[2] >= HOLD]
        new = _add(self.latched, found)
        if found:
            _add(self.causes, [(*key, s) for key, ss in self.latched.items() for s in ss])
            self.since = 0
        if not new or (self.mode == "FAULT" and self.released):
            return INFORM
        worst = max(s for ss in self.latched.values() for s in ss)
        blamed = {_blame(*key) for key, ss in self.latched.items() if STOP in ss}
        return max(worst, QUICK) if len(blamed) > 1 else worst

    def _react(self, reaction):
        mode = self.mode
        if reaction == HOLD:
            self._go("CSTOP" if mode in FOLLOWING else "QSTOP" if mode == "HOMING" else mode)
        elif reaction == STOP:
            if mode in HOMED:
                self._go("CSTOP")
            elif mode in ("HOMING", "IDLE"):
                self._go("QSTOP" if mode == "HOMING" else "FAULT")
        elif reaction == QUICK and mode != "OFF":
            self._go("FAULT" if mode == "IDLE" else "QSTOP")

    def _ask(self, request, reaction):
        new = None if reaction else self._leads_to(request)
        if new is not None and new != self.mode and self.causes:
            started = new in ("HOMING", "ENGAGING", "ENGAGED")
            if started or (new == "PARKING" and (self.led or self.parked)):
                new = None
        if new is not None:
            self._go(new)

    def _leads_to(self, request):
        """The mode that a request leads to; None if it is refused."""
        mode, moving = self.mode, not self._at_rest()
        match request:
            case "CONFIGURED":
                return "IDLE" if mode == "OFF" else None
            case "HOME":
                return "HOMING" if mode == "IDLE" else None
            case "ENGAGE":
                return "ENGAGING" if mode == "STANDBY" and self.at is not None else None
            case "RISEN":
                return "ENGAGED" if mode == "ENGAGING" else None
            case "PARKED":
                return "STANDBY" if mode == "PARKING" and not moving else None
            case "HOLD":
                return {"HOMING": "QSTOP"}.get(mode, "CSTOP" if mode in FOLLOWING else mode)
            case "PARK":
                if mode in ("ENGAGING", "ENGAGED"):
                    return "CSTOP" if moving else "PARKING"
                return "PARKING" if mode in ("HOLD", "PARKING") else None
            case _:  # SHUT_DOWN
                if mode in FOLLOWING or mode == "CSTOP":
                    return "CSTOP"
                if mode in ("STANDBY", "HOLD"):
                    return "OFF" if self.stands else None
                return {"OFF": "OFF", "IDLE": "OFF", "HOMING": "QSTOP", "QSTOP": "QSTOP"}.get(mode)

    def _see(self, i, clean):
        mode = self.mode
        faulted = any(s >= STOP for ss in self.latched.values() for s in ss)
        if mode == "HOMING":
            if i.feedback is not None and self.stands and all(i.feedback.homed):
                self._go("STANDBY")
        elif mode == "QSTOP":
            if self.quick_failed:
                self._go("FAULT")
            elif self.those_heard_stand:
                self._go("FAULT" if faulted else "IDLE")
        elif mode == "CSTOP":
            if not any(self.move):
                self._go("FAULT" if faulted else "HOLD")
        elif mode == "FAULT":
            if self.those_heard_stand:
                self._release()
            edge = i.reset and self.reset_low
            if edge and clean and self.stands and not self.causes:
                self._go("IDLE")

    def _go(self, new):
        old, self.mode = self.mode, new
        if new == old:
            return
        self.parked = self.parked or (new == "PARKING" and bool(self.causes))
        self.stopping = None
        if new in ("OFF", "IDLE"):
            self.strong, self.heavy = [0] * 6, [0] * 6
        if new in ("OFF", "IDLE", "HOMING", "ENGAGING", "PARKING"):
            self.latched = {}
        if new == "CSTOP" and self.at is not None:
            legs, dt = self.limits.legs, self.dt
            cycles = [abs(u) / (leg.stop_deceleration_m_s2 * dt * dt)
                      for u, leg in zip(self.move, legs, strict=True)]  # fmt: skip
            self.stopping = [max(1.0, *cycles), 0, list(self.move)]
        elif new in ("ENGAGING", "PARKING"):
            self.waiting, self.sequence, self.missed = True, None, 0
        elif new in ("OFF", "IDLE") or (new == "FAULT" and old == "QSTOP"):
            self._release()
        elif new in ("HOMING", "QSTOP"):
            self.released = False
            self._drop()
        if new == "QSTOP":
            self._begin_quick_stop()

    def _begin_quick_stop(self):
        self.quick_cycles, self.quick_failed = 0, False
        for k, leg in enumerate(self.limits.legs):
            gain = 0.05 * leg.acceleration_max_m_s2
            self.quick_limit[k] = leg.speed_max_m_s + gain
            if self.read is not None and self.read.fresh[k]:
                now = abs(self.read.speed_m_s[k]) + gain
                if now < self.quick_limit[k]:  # never so for a speed that is no number
                    self.quick_limit[k] = now

    def _release(self):
        self.released = True
        self._drop()

    def _drop(self):
        self.at, self.move = None, [0.0] * 6

    # --- what is let out ------------------------------------------------------------------------

    def _output(self, i):
        still = [0.0] * 6
        if self.mode in FOLLOWING:
            return self._follow(i)
        if self.mode == "STANDBY" and self.at is None and self._may_begin(i.feedback):
            self.at = list(i.feedback.length_m)
        if self.at is None:
            return "BLOCKED", still
        if self.stopping is None:
            self.move = still
            return "HOLDING", still
        cycles, j, begun = self.stopping
        self.stopping[1] = j = j + 1
        share = max(0.0, 1.0 - j / cycles)
        self.move = [u * share for u in begun]
        self.at = [x + u for x, u in zip(self.at, self.move, strict=True)]
        return "STOPPING", [u / self.dt for u in self.move]

    def _may_begin(self, read):
        if read is None or not all(read.fresh) or not all(read.homed) or not all(read.enabled):
            return False
        base = self.limits.following_base_m
        inside = all(
            leg.soft_min_m + base <= x <= leg.soft_max_m - base
            for leg, x in zip(self.limits.legs, read.length_m, strict=True)
        )
        return inside and self.stands

    def _at_rest(self):
        dt, speed = self.dt, self.limits.standstill_speed_m_s
        return all(
            abs(u) <= min(speed * dt, leg.stop_deceleration_m_s2 * dt * dt)
            for u, leg in zip(self.move, self.limits.legs, strict=True)
        )

    def _follow(self, i):
        asked = i.asked
        if asked is not None and not 0.0 <= i.setpoint_age_s <= self.limits.setpoint_age_max_s:
            self.found.append(("STALE", None, INFORM))
            asked = None
        if asked is not None and self.sequence is not None:
            ahead = (asked.sequence - self.sequence) % 2**32
            if not 0 < ahead < 2**31:
                self.found.append(("SEQUENCE", None, INFORM))
                asked = None
        if asked is None:
            self.missed += 1
            if self.waiting:
                self.move = [0.0] * 6
                return "HOLDING", self.move
            going = [x + u for x, u in zip(self.at, self.move, strict=True)]
            speed = [u / self.dt for u in self.move]
            if self.missed > self.limits.missing_setpoints_max or self._wrong(going, speed):
                return self._block(i, [("MISSING", None, HOLD)])
            self.found.append(("MISSING", None, INFORM))
            self.at = going
            return "BRIDGED", speed
        gap, self.sequence, self.missed = self.missed, asked.sequence, 0
        if self.waiting:
            most = self.limits.start_tolerance_m
            apart = [k for k in SIX if not abs(asked.length_m[k] - self.at[k]) <= most]
            if apart:
                return self._block(i, [("START", k + 1, HOLD) for k in apart])
        wrong = self._wrong(asked.length_m, asked.speed_m_s)
        if wrong:
            joined = {"SPEED", "ACCELERATION", "SPEED_MISMATCH"}
            if gap and not self.waiting and wrong[0][0] in joined:
                wrong = [("MISSING", None, HOLD), *wrong]
            return self._block(i, wrong)
        self.waiting = False
        self.move = [b - a for a, b in zip(self.at, asked.length_m, strict=True)]
        self.at = list(asked.length_m)
        return "PASSED", list(asked.speed_m_s)

    def _block(self, i, why):
        self.found += why
        self._react(self._latch(why))
        return self._output(i)

    def _wrong(self, length, speed):
        found, dt, tiny = [], self.dt, 1e-12
        for k, leg in enumerate(self.limits.legs):
            move = length[k] - self.at[k]
            change = move - self.move[k]
            most = leg.acceleration_max_m_s2
            if not (math.isfinite(length[k]) and math.isfinite(speed[k])):
                found.append(("FINITE", k + 1, STOP))
                continue
            if length[k] < leg.soft_min_m or length[k] > leg.soft_max_m:
                found.append(("POSITION", k + 1, STOP))
            if (
                abs(move) > leg.speed_max_m_s * dt + tiny
                or abs(speed[k]) > leg.speed_max_m_s + 1e-6
            ):
                found.append(("SPEED", k + 1, STOP))
            if abs(change) > most * dt * dt + tiny:
                found.append(("ACCELERATION", k + 1, STOP))
            if abs(speed[k] - move / dt) > most * dt + 1e-6:
                found.append(("SPEED_MISMATCH", k + 1, STOP))
        return found or self._beyond(length)

    def _beyond(self, length):
        """Legs whose stop from here would end too near to an end, added up cycle by cycle."""
        limits, dt, found = self.limits, self.dt, []
        moves = [b - a for a, b in zip(self.at, length, strict=True)]
        cycles = max(1.0, *(abs(u) / (leg.stop_deceleration_m_s2 * dt * dt)
                            for u, leg in zip(moves, limits.legs, strict=True)))  # fmt: skip
        ahead = math.fsum(max(0.0, 1.0 - j / cycles) for j in range(1, math.ceil(cycles) + 1))
        for k, leg in enumerate(limits.legs):
            per_speed = limits.following_per_speed_s + limits.reaction_time_s
            margin = limits.following_base_m + per_speed * abs(moves[k]) / dt
            end = length[k] + moves[k] * ahead
            if not leg.soft_min_m + margin <= end <= leg.soft_max_m - margin:
                found.append(("BRAKING", k + 1, STOP))
        return found


def _add(kept, found):
    """Keep what is worse than what is kept of the same check and leg; whether anything was."""
    new = False
    for check, leg, severity in found:
        known = kept.setdefault((check, leg), [])
        if severity > max(known, default=INFORM):
            known.append(severity)
            new = True
    for key in [key for key, known in kept.items() if not known]:
        del kept[key]
    return new


def _blame(check, leg):
    if check.startswith("ESTOP"):
        return "emergency stop"
    if check in SETPOINT:
        return "setpoint"
    return "lag" if check == "LAG" else leg
