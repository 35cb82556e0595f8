"""Warnings of a robot's supervision, given before it ends the stream."""

from collections.abc import Iterator
from typing import Final

from arm_driver.link_report import SupervisionReport

WARNED_FROM: Final = 0.5
"""Share of a window from which on a warning is given."""


def near_limits(report: SupervisionReport) -> Iterator[str]:
    """Describe values nearer than half to their limit; each text stays while that lasts."""
    if report.following.share > WARNED_FROM:
        yield "the robot is more than half of its window away from the path as it was sent"
    if report.period.ahead > WARNED_FROM:
        yield "the robot asks faster than its period, by more than half of what ends the stream"
    if report.period.behind > WARNED_FROM:
        yield "the robot asks slower than its period, by more than half of what ends the stream"
