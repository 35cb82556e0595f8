"""Named mutants of the gate of jointed robots."""

# ruff: noqa: E501 a text of a file is longer than a line of one
ROBOT_TESTS = {
    "safety/robot_gate.py": (
        "safety/test_robot_gate.py",
        "safety/test_robot_watches.py",
        "safety/test_free_axes.py",
    ),
    "safety/free_axes.py": ("safety/test_free_axes.py",),
    "safety/robot_limits.py": (
        "safety/test_robot_watches.py",
        "safety/test_robot_gate.py",
        "safety/test_free_axes.py",
    ),
    "hil/stations/world/cycle/gated_robot.py": ("world_station/test_stop_law.py",),
    "hil/stations/world/editing/bench_swap.py": ("world_station/test_stop_law.py",),
}
"""Tests that look at each file, the likeliest first."""

ROBOT_ROWS = {
    "safety/robot_gate.py": (
        (
            "a robot's gate is open from the beginning",
            "        self._action = RobotAction.OFF\n        self._positions: Values = ()",
            "        self._action = RobotAction.PASSED\n        self._positions: Values = ()",
        ),
        (
            "a robot that moves is a start",
            "if abs(speed) > REST_SPEED:",
            "if speed > 1e3:",
        ),
        (
            "a start outside the joint limits",
            'broken += self._outside(found.positions, "at the start")',
            "pass",
        ),
        (
            "joints that are lost go on",
            "            if lost:\n                return self._off(lost)\n",
            "",
        ),
        (
            "joints that do not follow their stop are driven on",
            "        if strayed and stopping:\n            return self._off(strayed)\n",
            "",
        ),
        (
            "a good setpoint ends a stop",
            "self._action is not RobotAction.PASSED\n",
            "self._action is RobotAction.HOLDING\n",
        ),
        (
            "a joint stops alone",
            "tuple(-share * v for v in self._speeds)",
            "tuple(-math.copysign(one.stop, v) for one, v in zip(self._limits.axes, self._speeds, strict=True))",
        ),
        (
            "a joint ahead of its setpoint follows",
            "if not abs(q - asked) <= axis.following + lag:",
            "if not q - asked <= axis.following + lag:",
        ),
        (
            "a stop begins at setpoints that nobody follows",
            "self._positions, self._speeds = tuple(found.positions), tuple(found.speeds)",
            "pass",
        ),
        (
            "no room to stop before a joint limit",
            "end = q + 0.5 * stop_s * now",
            "end = q",
        ),
        (
            "each joint has its own room to stop only",
            "end = q + 0.5 * stop_s * now",
            "end = q + 0.5 * abs(now) / axis.stop * now",
        ),
        (
            "a negative speed has no bound",
            "and not abs(now) <= axis.speed + ROUNDING / period_s",
            "and not now <= axis.speed + ROUNDING / period_s",
        ),
        (
            "slowing down has no bound",
            "and not abs(change) <= most + 4.0 * ROUNDING / period_s**2",
            "and not change <= most + 4.0 * ROUNDING / period_s**2",
        ),
        (
            "a fed speed needs not fit its positions",
            "if not abs(v - own) <= greatest * period_s + ROUNDING / period_s:",
            "if False:",
        ),
        (
            "a fed speed has no bound of its own",
            "            if not abs(v) <= most:\n",
            "            if False:\n",
        ),
        (
            "a fed acceleration has no bound",
            "if not abs(a) <= greatest + 4.0 * ROUNDING / period_s**2:",
            "if False:",
        ),
        (
            "a tool that is not measured is in its box",
            "            return [lost]\n",
            "            return []\n",
        ),
        (
            "a tool below its box is in it",
            "if not least <= value <= greatest:",
            "if not value <= greatest:",
        ),
        (
            "an effort the other way has no bound",
            "abs(effort) <= OVERSHOOT * axis.effort",
            "effort <= OVERSHOOT * axis.effort",
        ),
        (
            "a setpoint that is no number passes",
            "        if malformed or not self._led:",
            "        if not self._led:",
        ),
        (
            "what breaks a rule in a stop is not told",
            "                return self._stopped(new)\n",
            "                return self._stopped(())\n",
        ),
        (
            "axes that break a rule again and again creep",
            "if self._restarted or not any(",
            "if not any(",
        ),
        (
            "a stop begins anew in every cycle",
            "if (one.check, one.axis, one.note) not in known]",
            "if True]",
        ),
        (
            "a stop begins where nothing is measured to be",
            "            return self._begin_stop(measured, found)",
            "            return self._begin_stop(measured, None)",
        ),
        (
            "a law may ask for any effort",
            "return self._begin_stop(broken, found) if broken else None",
            "return None",
        ),
        (
            "nothing of a free axis is judged",
            "else self._freely(found)\n",
            "else self._freely(found)[:0]\n",
        ),
        (
            "a free axis is judged, and goes on",
            "if watched.measured else []) + freely\n",
            "if watched.measured else [])\n",
        ),
        (
            "a free axis is led to what is asked",
            "        return RobotSetpoint(tuple(positions), tuple(speeds), tuple(accelerations))\n",
            "        return RobotSetpoint(asked.positions, tuple(speeds), tuple(accelerations))\n",
        ),
        (
            "free axes stop with the others",
            "            self._braking, alone_s = stop_alone(axes, self._speeds, self._braking)\n",
            "            alone_s = 0.0\n",
        ),
        (
            "an axis beside a free one is not judged",
            "            if asked and axis.free:\n                continue\n",
            "            if asked:\n                continue\n",
        ),
        (
            "axes beside a free one pass whatever is asked",
            "for at, axis in enumerate(limits.axes) if not axis.free]",
            "for at, axis in enumerate(limits.axes) if not self._some_free]",
        ),
        (
            "a free axis that does not stop is driven on",
            "            self._lags = free_lags(axes, self._speeds)\n",
            "            self._lags = (math.inf,) * len(axes)\n",
        ),
        (
            "measured speeds of free axes have no bound",
            "            if axis.speed is not None and not abs(speed) <= OVERSHOOT * axis.speed:\n",
            "            if not axis.free and axis.speed is not None and not abs(speed) <= OVERSHOOT * axis.speed:\n",
        ),
    ),
    "safety/free_axes.py": (
        (
            "a free axis may be anywhere",
            "if not axis.least - axis.following <= q <= axis.greatest + axis.following:",
            "if False:",
        ),
        (
            "a free axis runs into its end stop",
            "if not way <= room + 0.5 * axis.stop * END_S * END_S:",
            "if False:",
        ),
        (
            "a free axis is at its limit as soon as it moves",
            "    if room < 0.0:\n        room = 0.0\n",
            "    room = 0.0\n",
        ),
        (
            "room beyond a limit counts",
            "    if room < 0.0:\n        room = 0.0\n",
            "    room = abs(room)\n",
        ),
        (
            "a free axis has the room behind it",
            "    limit = axis.greatest if v > 0.0 else axis.least\n",
            "    limit = axis.least if v > 0.0 else axis.greatest\n",
        ),
        (
            "slowing down of a free axis has no bound",
            "abs(v - reference) <= most * SWING_S",
            "v - reference <= most * SWING_S",
        ),
        (
            "any acceleration of a free axis passes",
            "    return reference + min(max(v - reference, -step), step)\n",
            "    return v\n",
        ),
        (
            "a free axis need not stop at all",
            "0.25 * v * v / axis.stop",
            "25.0 * v * v / axis.stop",
        ),
        (
            "all axes lag in a stop",
            "if axis.free else 0.0 for axis, v in each])",
            "if axis else 0.0 for axis, v in each])",
        ),
        (
            "free axes stop the wrong way",
            "-math.copysign(axis.stop, v)",
            "math.copysign(axis.stop, v)",
        ),
    ),
    "safety/robot_limits.py": (
        (
            "a bound that is gone is not wider",
            "if now is None or now.unit != axis.unit or most is None:",
            "if now is None or now.unit != axis.unit:",
        ),
        (
            "a bound in another unit is the same",
            "if now is None or now.unit != axis.unit or most is None:",
            "if now is None or most is None:",
        ),
        ("a wider bound is taken", "elif not most <= bound:", "elif not most <= 2.0 * bound:"),
        (
            "a box may grow downwards",
            "return all(least <= a and b <= greatest",
            "return all(b <= greatest",
        ),
        (
            "an edit frees an axis",
            "if now is not None and now.free and not axis.free:",
            "if False:",
        ),
        (
            "every axis is free",
            "    free: bool = False\n",
            "    free: bool = True\n",
        ),
        (
            "own bodies may touch after an edit",
            "if self.own_bodies and not other.own_bodies:",
            "if False:",
        ),
    ),
    "hil/stations/world/cycle/gated_robot.py": (
        (
            "the user's law leads in the stop",
            "self._followed(verdict.allowed, self._own_law)",
            "self._followed(verdict.allowed, self.law)",
        ),
        (
            "what a law asks of the drives is not judged",
            "            verdict = self._judge_efforts(found) or verdict\n",
            "",
        ),
    ),
    "hil/stations/world/editing/bench_swap.py": (
        (
            "an edit takes bounds away",
            "if old.gated.action is not RobotAction.OFF:",
            "if old.gated.action is RobotAction.OFF:",
        ),
    ),
}
"""Name, text and what stands there instead, by file."""
