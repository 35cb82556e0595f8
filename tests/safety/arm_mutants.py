"""Named mutants of the link to the industrial arm: its host, its stream, its supervision."""

ARM_TESTS = {
    "arm_driver/contour/period_watch.py": ("arm_driver/test_supervision.py",),
    "arm_driver/contour/kept_period.py": (
        "foreign/test_speed_at_any_period.py",
        "arm_driver/test_kept_period.py",
    ),
    "arm_driver/contour/following_watch.py": ("arm_driver/test_supervision.py",),
    "arm_driver/contour/supervision.py": ("arm_driver/test_supervision.py",),
    "arm_driver/contour/requests.py": (
        "arm_driver/test_supervision.py",
        "arm_driver/test_contour.py",
    ),
    "arm_driver/contour/stream.py": (
        "arm_driver/test_supervision.py",
        "arm_driver/test_host.py",
        "arm_driver/test_kept_period.py",
        "foreign/test_speed_at_any_period.py",
    ),
    "arm_driver/contour/host.py": ("arm_driver/test_supervision.py", "arm_driver/test_host.py"),
    "arm_driver/contour/stream_end.py": (
        "arm_driver/test_supervision.py",
        "arm_driver/test_host.py",
    ),
    "arm_driver/contour/answers.py": ("arm_driver/test_supervision.py", "arm_driver/test_host.py"),
    "arm_driver/contour/host_states.py": ("arm_driver/test_host.py",),
}
"""Tests that look at each file, the likeliest first."""

ARM_ROWS = {
    "arm_driver/contour/period_watch.py": (
        (
            "what is gained on the period is not summed",
            "self._ahead_s = max(0.0, self._ahead_s + gained_s)",
            "self._ahead_s = max(0.0, gained_s)",
        ),
        (
            "what is lost on the period is not summed",
            "max(0.0, self._behind_s + interval_s",
            "max(0.0, interval_s",
        ),
        (
            "the tolerance widens what is too fast twice",
            "self._period_s - slack_s - interval_s - self._late_s",
            "self._period_s - 8 * slack_s - interval_s - self._late_s",
        ),
        (
            "no tolerance for a robot that is a little fast",
            "self._period_s - slack_s - interval_s - self._late_s",
            "self._period_s - interval_s - self._late_s",
        ),
        (
            "a lost request makes a fast robot",
            "gained_s = self._period_s - slack_s - interval_s - self._late_s",
            "gained_s = self._period_s - slack_s - interval_s",
        ),
        ("a robot that is too fast is in time", "return Pace.AHEAD", "return Pace.IN_TIME"),
        (
            "a period slept through is one",
            "if before_s is None or not timely:",
            "if before_s is None:",
        ),
        (
            "the mean is the last period",
            "self._mean_s += off_s / self._n",
            "self._mean_s = interval_s",
        ),
    ),
    "arm_driver/contour/following_watch.py": (
        (
            "a robot beside its path follows",
            "if best.share <= 1.0 else",
            "if best.share <= 1e9 else",
        ),
        (
            "a robot that is turned follows",
            "max(off_m / limit_m, off_rad / settings.following_rad), off_m",
            "off_m / limit_m, off_m",
        ),
        (
            "the speed widens the window a hundredfold",
            "settings.following_s * math.sqrt(distance_m2)",
            "settings.following_s * 100 * math.sqrt(distance_m2)",
        ),
        (
            "the whole path counts, however long ago",
            "behind = 1.0 - least_s / self._period_s, 1.0 - largest_s / self._period_s",
            "behind = 1.0 - least_s / self._period_s, -1e9",
        ),
        (
            "a robot may be where it will be",
            "behind = 1.0 - least_s / self._period_s",
            "behind = 0.0",
        ),
        (
            "no place is as good as a right one",
            "if self._report.measured and self._blank > self._settings.feedback_periods:",
            "if False:",
        ),
        (
            "one request without a place ends a stream",
            "self._blank > self._settings.feedback_periods",
            "self._blank > 0",
        ),
        (
            "only the ends of a segment count",
            "part = min(max(slope / curve if curve else 0.0, least), most)",
            "part = most",
        ),
        (
            "the end place is not looked at",
            "return self._judged(self._nearest(measured, len(self._path) - 1, 0.0, 0.0))",
            'return ""',
        ),
    ),
    "arm_driver/contour/supervision.py": (
        ("following is not watched", "text = self._following.judge(request.location)", 'text = ""'),
        ("the period is not watched", "if pace is not Pace.IN_TIME:", "if pace is None:"),
        ("the path is not kept", "self._following.sent(location)", "pass"),
    ),
    "arm_driver/contour/kept_period.py": (
        (
            "requests are never late",
            "RECEIVED_WITHIN_S: Final = 0.02",
            "RECEIVED_WITHIN_S: Final = 0.0",
        ),
        (
            "a lost request is a slow robot",
            "self._bound_s) if self._lost",
            "self._bound_s) if False",
        ),
        ("a host that slept measures", "if not before or not timely:", "if not before:"),
        ("no period counts but the last", "if len(before) <= USUAL:", "if True:"),
        ("the first periods are usual", "USUAL: Final = 3", "USUAL: Final = 2"),
        ("a robot goes faster at once", "(alike_s, last_s))", "(alike_s, alike_s))"),
        ("a slow robot goes faster unseen", "max(self._period_s, mean_s)", "self._period_s"),
        ("a pause counts for ever", "if self._lost and since_s >", "if False and since_s >"),
        ("a request that comes anew is a pause", "since_s > self._period_s - LOST_S", "True"),
        ("a late request is usual", "(before[-2] - before[0])", "(before[-1] - before[0])"),
    ),
    "arm_driver/contour/requests.py": (
        ("nobody is simulated", "self.simulated: bool = True", "self.simulated: bool = False"),
        ("everybody is simulated", "if line.endswith(SIMULATED):", "if line:"),
    ),
    "arm_driver/contour/stream.py": (
        (
            "a second asking is a second period",
            "seq == self.expected and seq != self._asked",
            "seq == self.expected",
        ),
        (
            "a robot that has the first waypoint has not begun",
            "if flying is None or not self.sent:",
            "if flying is None or self.sent < 2:",
        ),
        (
            "a robot has left as soon as it asks",
            "own = {flying.seq} if flying.location is None else {flying.seq, self.expected}",
            "own = set()",
        ),
        ("a robot never leaves", "return request.seq not in own", "return False"),
        (
            "a step is not looked at when it is planned",
            'self._check_next(location, "planned")',
            "pass",
        ),
        (
            "a step is not looked at when it is sent",
            'self._check_next(self.slot.location, "sent")',
            "pass",
        ),
        (
            "a step may be twice as long",
            "if distance_m > settings.step_max_m(period_s):",
            "if distance_m > 2 * settings.step_max_m(period_s):",
        ),
        (
            "a turn may be of any size",
            "if turn_rad > settings.turn_max_rad(period_s):",
            "if turn_rad > 10.0:",
        ),
        (
            "the first waypoints are as fast as the others",
            "first = self.sent < UNMEASURED",
            "first = False",
        ),
        (
            "a robot that is too fast gets its next waypoint",
            "if least_s <= kept_s + _ROUNDING_S:",
            "if True:",
        ),
        (
            "a path is not held to the pace of its robot",
            "if why := too_fast(before, location, settings, kept.least_s):",
            'if why := "":',
        ),
    ),
    "arm_driver/contour/stream_end.py": (
        (
            "status 1 asks for the next waypoint",
            "if request.status is RobotStatus.CHECKSUM_ERROR and request.seq != flying.seq:",
            "if False:",
        ),
        (
            "a robot that runs dry before its end has completed",
            "return StreamEnd(HostEvent.AT_REST, StreamResult.RAN_DRY, text)",
            "return StreamEnd(HostEvent.AT_REST, StreamResult.COMPLETED, text)",
        ),
        (
            "a robot at rest is fed again",
            "if request.status is RobotStatus.RAN_DRY and stream.begun(request.seq):",
            "if False:",
        ),
        (
            "an offence has no end on the line",
            'line = stream.take_end(EndReason.CANCELLED).line if timely else b""',
            'line = b""',
        ),
        (
            "an offence changes nothing",
            "if offence is not None:\n            line",
            "if False:\n            line",
        ),
        (
            "arrived or not, it is completed",
            "if offence is not None and stream.reason is not EndReason.REFUSED:",
            "if False:",
        ),
    ),
    "arm_driver/contour/answers.py": (
        ("a waypoint is sent again for ever", "if self._repeats > _REPEATS_ALLOWED:", "if False:"),
        (
            "noise is forgiven for ever",
            "if before is not None and self._stray_at - before <= _STRAY_FORGOTTEN:",
            "if False:",
        ),
        (
            "a garbled first request gets a waypoint",
            "if flying is None and request.status is RobotStatus.CHECKSUM_ERROR:",
            "if False:",
        ),
        (
            "the start is looked at once only",
            "check_start(stream.start, request.location, self._settings)",
            "pass",
        ),
    ),
    "arm_driver/contour/host.py": (
        ("a new stream begins on an old request", "if not self._left:", "if False:"),
        (
            "a request that is too old is answered",
            "timely = waited_s <= self._settings.answer_within_s",
            "timely = True",
        ),
    ),
}
"""By file: name, text that stands there once, and what stands there instead."""
