"""Named mutants of the gate of jointed robots."""

# ruff: noqa: E501 a text of a file is longer than a line of one
ROBOT_TESTS = {"safety/robot_gate.py": ("safety/test_robot_gate.py",)}
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
            "        if lost:\n            self._action = RobotAction.OFF\n"
            "            return RobotVerdict(RobotAction.OFF, lost, None)\n",
            "",
        ),
        (
            "joints that do not follow their stop are driven on",
            "            if strayed:\n                self._action = RobotAction.OFF\n"
            "                return RobotVerdict(RobotAction.OFF, strayed, None)\n",
            "",
        ),
        (
            "a good setpoint ends a stop",
            "        if self._action is not RobotAction.PASSED:\n",
            "        if self._action is RobotAction.HOLDING:\n",
        ),
        (
            "a joint stops alone",
            "tuple(-share * v for v in self._speeds)",
            "tuple(-math.copysign(one.stop, v) for one, v in zip(self._limits.axes, self._speeds, strict=True))",
        ),
        (
            "a joint ahead of its setpoint follows",
            "if not abs(q - asked) <= axis.following:",
            "if not q - asked <= axis.following:",
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
            "if not abs(v - own) <= most * period_s + ROUNDING / period_s:",
            "if False:",
        ),
        (
            "a fed speed has no bound of its own",
            "            if not abs(v) <= most:\n",
            "            if False:\n",
        ),
        (
            "a fed acceleration has no bound",
            "if not abs(a) <= most + 4.0 * ROUNDING / period_s**2:",
            "if False:",
        ),
        (
            "a tool that is not measured is in its box",
            '            yield RobotViolation(RobotCheck.BOX, "", math.nan, math.nan, "m", '
            '"is not measured")\n',
            "",
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
            "yield from malformed or (*self._moves",
            "yield from (*self._moves",
        ),
    ),
}
"""Name, text and what stands there instead, by file."""
