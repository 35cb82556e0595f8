"""What a form of a document cannot say of a robot."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, fields

from sim.world.robots.model import Robot, RobotJoint, RobotLink


@dataclass(frozen=True, slots=True)
class Loss:
    """A value that is left out, or said otherwise."""

    subject: str
    """Of what: ``joint 3``."""
    field: str
    """Which of its fields."""
    value: object
    """What it was."""
    reason: str
    """Why, or how it is said instead."""
    line: int = 0
    """Of the document it was read from, from 1; 0 if it was not read."""
    column: int = 0
    """From 1."""

    def __str__(self) -> str:
        """One line, with its place if it has one."""
        place = f"{self.line}:{self.column}: " if self.line else ""
        value = "" if self.value in (None, "") else f" = {self.value}"
        return f"{place}{self.subject} {self.field}{value}: {self.reason}"


class LossError(ValueError):
    """A conversion that would lose something and must not; the text has a line for each loss."""

    def __init__(self, losses: Iterable[Loss]) -> None:
        self.losses: tuple[Loss, ...] = tuple(losses)
        super().__init__("\n".join(map(str, self.losses)))


def refuse_losses(losses: Iterable[Loss]) -> None:
    """Refuse a conversion that loses anything.

    Raises:
        LossError: with each loss.
    """
    if found := tuple(losses):
        raise LossError(found)


def losses_beside(
    robot: Robot, of_links: Container[str], of_joints: Container[str], reason: str
) -> Iterator[Loss]:
    """What is said of a robot besides some fields of its links and joints."""
    for name in ("name", "drives", "sensors", "machine"):
        if value := getattr(robot, name):
            yield Loss("robot", name, value, reason)
    for link in robot.links:
        yield from _beside(link, f"link {link.number}", of_links, reason)
    for joint in robot.joints:
        yield from _beside(joint, f"joint {joint.number}", of_joints, reason)


def _beside(
    row: RobotLink | RobotJoint, subject: str, said: Container[str], reason: str
) -> Iterator[Loss]:
    for field in fields(row):
        value = getattr(row, field.name)
        if field.name in said or value == field.default:
            continue
        yield Loss(subject, field.name, value, reason)
