"""Whether a robot can be made: findings about its values, ties and loops."""

from collections.abc import Iterator

from sim.world.robots.faults import Finding, RobotError
from sim.world.robots.loops import CLOSED_M, closed_loops
from sim.world.robots.model import Robot
from sim.world.robots.tie_checks import tie_findings
from sim.world.robots.tree import spanning_tree
from sim.world.robots.value_checks import value_findings


def findings_of(robot: Robot, *, whole: bool = True) -> tuple[Finding, ...]:
    """All that is wrong.

    Loops are judged of robots in which nothing else is wrong, ties of those whose values are right.

    Args:
        whole: False if something of it could not be read, so that its ties say nothing.
    """
    found = list(value_findings(robot))
    if whole and not found:
        found = list(tie_findings(robot))
        if not found:
            found = list(_loop_findings(robot))
    return tuple(found)


def checked(robot: Robot) -> Robot:
    """The same robot.

    Raises:
        RobotError: with all that is wrong.
    """
    if found := findings_of(robot):
        raise RobotError(found)
    return robot


def _loop_findings(robot: Robot) -> Iterator[Finding]:
    """Loops that cannot be closed."""
    tree = spanning_tree(robot)
    if not tree.loops:
        return
    gaps = closed_loops(tree).gaps_m
    for index, joint in enumerate(robot.joints):
        if (gap := gaps.get(joint.number, 0.0)) > CLOSED_M and joint.closes:
            problem = f"out of reach: the least gap found is {gap * 1e3:.4g} mm"
            right = f"points that meet to {CLOSED_M * 1e6:g} µm within the joints' limits"
            field = ("joint", index, "at_child_m")
            yield Finding(field, f"joint {joint.number}", joint.at_child_m, problem, right)
