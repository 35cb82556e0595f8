"""Named mutants around the platform's gate: its program, what reaches it, the governor before it."""

# ruff: noqa: E501 a text of a file is longer than a line of one
_GATE = "hil/stations/platform/gate"
_GOVERNOR = ("cueing/test_governor_kernels.py", "cueing/test_governor.py")
GATE_TESTS = {
    "safety/bounds.py": ("safety/test_widest_limits.py", "safety/test_safety_limits.py"),
    "safety/first_motion.py": ("safety/test_safety_first_motion.py",),
    "safety/load.py": ("safety/test_safety_load.py", "safety/test_safety_gate.py"),
    f"{_GATE}/process.py": ("gate/test_guard.py",),
    f"{_GATE}/place_record.py": ("gate/test_guard.py",),
    f"{_GATE}/child.py": ("gate/test_guard.py", "gate/test_waits.py"),
    f"{_GATE}/remote.py": ("gate/test_remote.py", "gate/test_guard.py"),
    "platform6dof/cueing/governor.py": _GOVERNOR,
    "platform6dof/cueing/governor_ends.py": (*_GOVERNOR, "cueing/test_governor_ends.py"),
    "platform6dof/cueing/governor_judge.py": _GOVERNOR,
    "platform6dof/cueing/governor_legs.py": _GOVERNOR,
    "platform6dof/cueing/governor_near.py": _GOVERNOR,
    "platform6dof/cueing/governor_program.py": _GOVERNOR,
    "platform6dof/cueing/governor_solver.py": _GOVERNOR,
    "platform6dof/cueing/governor_state.py": _GOVERNOR,
    "platform6dof/cueing/governor_stop.py": _GOVERNOR,
    "platform6dof/cueing/governor_target.py": (*_GOVERNOR, "cueing/test_governor_ends.py"),
}
"""Tests that look at each file, the likeliest first."""

GATE_ROWS = {
    "safety/bounds.py": (
        ("a measured length may be frozen over a long way", 'Bound(0.02, "m", "a frozen', 'Bound(0.2, "m", "a frozen'),
        ("no force is a lasting one", '"force_cycles": Bound(1.0,', '"force_cycles": Bound(10.0,'),
    ),
    "safety/first_motion.py": (
        ("a stage is made by legs that are not seen", "arrived = arrived and there and fresh and not strays", "arrived = arrived and there"),
        ("half a stage is one", "there = abs(sent - start) >= self._reach_m - ROUNDING_M", "there = abs(sent - start) >= 0.5 * self._reach_m"),
    ),
    "safety/load.py": (
        ("a reading that is high waits for a warning", " and not feedback.high):", "):"),
    ),
    "safety/lag.py": (
        ("a new path goes on from the old one", "            self._path.clear()\n", "            pass\n"),
        ("any closer lag is a better reference", "if first or (closer and abs(leg.lag - leg.base) <= leg.base_doubt + leg.doubt):", "if first or closer:"),
    ),
    "safety/gate.py": (
        ("lengths after a jump tell a lag", "self._lag.forget()  # lengths that are no lengths tell no lag", "pass  # lengths that are no lengths tell no lag"),
        ("what breaks inside hides behind an older cause", "        self._interlock.close(self._latch.faults)\n        self._go(Event.FAULT_L", "        self._go(Event.FAULT_L"),
    ),
    f"{_GATE}/process.py": (
        ("a control that goes before its first order leaves a gate behind", "                if not wire.open:\n                    return\n", ""),
        ("the gate does not know that a person leads", "led=order.led", "led=False"),
        ("an old place stays while the legs move", "    place.begin()\n", ""),
        ("the place is not written", "        place.end(*gated.last_measured)\n", ""),
    ),
    f"{_GATE}/place_record.py": (
        ("a leg that moves has a place", "at_rest = length_m and all(abs(speed) <= AT_REST_M_S for speed in speed_m_s)", "at_rest = length_m"),
    ),
    f"{_GATE}/child.py": (
        ("a gate by other limits is believed", 'if answer["limits_sha256"] != order.limits.digest():', "if False:"),
    ),
    f"{_GATE}/remote.py": (
        ("a gate is not asked to leave", "            slot.write(Order(0, self._now_s(), None, leave=True))\n", ""),
    ),
    f"{_GATE}/server.py": (
        ("alone it takes a reset", "return None, (stop,), False, 0.0", "return None, (stop,), order is not None and order.reset, 0.0"),
        ("silence adds up", "        self._silent = 0\n        if order.leave:", "        if order.leave:"),
    ),
    "hil/stations/platform/cycle/gated_bank.py": (
        ("without a clock any act is new", "math.inf if now_s is None or act_s == NEVER_S else", "0.0 if now_s is None else"),
        ("the age of feedback is lost on its way", "        feedback.age_s,\n", "        (0.0,) * 6,\n"),
        ("forces are lost on their way", "        feedback.force_n,\n", "        (0.0,) * 6,\n"),
        ("no first motion is asked for", "if report.first_motion:", "if False:"),
        ("a place with a silent leg is one", "if feedback is None or not all(feedback.fresh):", "if feedback is None:"),
    ),
    "hil/stations/arm/cycle/waypoint_gate.py": (
        ("the thread that answers is not known", "return getattr(self._link, \"reader_thread\", None)", "return None"),
    ),
    "safety/robot_gate.py": (
        ("backwards a joint may be as fast as it likes", "not abs(speed) <= OVERSHOOT * axis.speed", "not speed <= OVERSHOOT * axis.speed"),
        ("a robot that holds feeds rounding forward", "self._speeds = self._braking = (0.0,) * len(self._speeds)", "self._braking = (0.0,) * len(self._speeds)"),
    ),
    "safety/arm_rules.py": (
        ("a margin that is no number is kept", "if not value >= margin.least:", "if value < margin.least:"),
    ),
    "platform6dof/cueing/governor_judge.py": (
        ("a motion is known after a row that is none", "        state[KNOWN] = 0.0\n    return bad", "        pass\n    return bad"),
    ),
    "platform6dof/cueing/governor_stop.py": (
        ("upper ends are always far", "        if j >= 28:\n            most = 2.0", "        if j >= 34:\n            continue\n        if j >= 28:\n            most = 2.0"),
        ("a shift hardly moves a joint", "shift = 2.0 * math.sqrt(", "shift = 0.2 * math.sqrt("),
        ("only the end of a stop is looked at", "knots = 1 + min(KNOTS_MAX - 1, int(size / KNOT_M))", "knots = 1"),
    ),
    "platform6dof/cueing/governor_ends.py": (
        ("an end may be passed by a gentle stop", "if move * stop_distance(move / change) > distance:", "if move * stop_distance(move / change) > 3.0 * distance:"),
    ),
    "platform6dof/cueing/governor_near.py": (
        ("a margin below its buffer stays there", "wanted = margins[j] + recovery * (wanted - margins[j])", "wanted = margins[j]"),
    ),
}  # fmt: skip
