"""The link's counts over a run, as a table: how often the robot asked, and what went wrong."""

from typing import Final

from hil.report.recorded import Row, Table, Tables
from hil.stations.arm.report.view import ArmView

_COUNTS: Final[tuple[tuple[str, str, bool], ...]] = (
    ("requests", "requests that were understood", False),
    ("answers", "lines sent", False),
    ("waypoints", "waypoints sent", False),
    ("repeats", "answers repeated because the robot asked again", True),
    ("told_checksum_errors", "answers of which the robot told a checksum error", True),
    ("checksum_errors", "requests with a wrong checksum, ignored", True),
    ("unparsed", "lines of the robot that are no message, ignored", True),
    ("overlong", "lines of the robot without an end, thrown away", True),
    ("echoes", "echoes of our own lines, swallowed", False),
    ("empty_slot", "requests with no waypoint ready", True),
    ("late_answers", "waypoints ready for the second request only", True),
    ("stale", "requests too old to be answered", True),
    ("out_of_sequence", "requests out of sequence", True),
    ("cut_answers", "answers that the port did not take whole", True),
)
"""Name of a count, what it is, and whether it should be 0."""


def link_table(view: ArmView) -> Tables:
    """The counts put down at the end of the run; without them what its waypoints tell."""
    tally = view.run.link_tally()
    if tally:
        rows = [
            Row((words, f"{tally[name]:.0f}"), should_be_none and tally[name] > 0)
            for name, words, should_be_none in _COUNTS
            if name in tally
        ]
        known = {name for name, _, _ in _COUNTS}
        rows += [
            Row((name.replace("_", " "), f"{value:g}"))
            for name, value in tally.items()
            if name not in known
        ]
        return _counted(rows)
    if not view.run.waypoints:
        return Tables((), "The recording tells nothing of the link.")
    column = view.run.column
    least = "" if view.fetches.sent_exact else "at least "
    sent, repeats = int(view.fetches.sent.sum()), int(column("repeats").max())
    return _counted(
        [
            Row(("requests until the last waypoint", str(int(column("requests").max())))),
            Row(("waypoints sent", f"{least}{sent}")),
            Row(("answers repeated until the last waypoint", str(repeats)), repeats > 0),
        ],
        "The recording has no tally of the link's end: checksum errors, late answers and what was "
        "ignored are not known.",
    )


def _counted(rows: list[Row], note: str = "") -> Tables:
    return Tables((Table(("what was counted", "how often"), tuple(rows)),), note)
