"""Remaining travel of joints and effort of drives of a robot, from the plan of its run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hil.scene.margins import MarginGroup, travel
from hil.stations.world.signals import joint_signal
from hil.stations.world.sources.planned_motion import slides_of
from hil.stations.world.view.recorded_world import recorded_robot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hil.scene.margins import Rule
    from sim.world.robots.model import Robot


def margins_of(document: Mapping[str, Any]) -> tuple[MarginGroup, ...]:
    """Margins of driven joints with limits, and of drives, from the plan in a run's header.

    Raises:
        KeyError: if it is not such a plan.
        ValueError: if its robot's document is not valid.
    """
    robot = recorded_robot(document)
    groups = (_travels(robot), _efforts(robot))
    return tuple(one for one in groups if one is not None)


def _travels(robot: Robot) -> MarginGroup | None:
    joints = {joint.number: joint for joint in robot.joints}
    driven = [joints[drive.joint] for drive in robot.drives]
    bounds = [joint.limits[0] if joint.limits else None for joint in driven]
    places = [at for at, bound in enumerate(bounds) if bound is not None]
    if not places:
        return None
    low, high = np.array([bounds[at] for at in places], np.float64).T
    slides = slides_of(robot)
    return MarginGroup(
        tuple(f"Joint {driven[at].number}" for at in places),
        tuple("m" if slides[at] else "rad" for at in places),
        _field(robot, "position", "rad", "m"),
        _chosen(travel(low, high), np.array(places)),
    )


def _efforts(robot: Robot) -> MarginGroup | None:
    if not robot.drives:
        return None
    most = np.array([drive.effort_max for drive in robot.drives])
    slides = slides_of(robot)
    return MarginGroup(
        tuple(f"Drive {drive.joint}" for drive in robot.drives),
        tuple("N" if one else "N m" for one in slides),
        _field(robot, "effort", "N m", "N"),
        travel(-most, most),
    )


def _chosen(rule: Rule, places: NDArray[np.intp]) -> Rule:
    """Rule for some of a field's values."""
    return lambda values: rule(values[places])


def _field(robot: Robot, name: str, turning: str, sliding: str) -> str:
    numbers = [drive.joint for drive in robot.drives]
    joints = list(zip(numbers, slides_of(robot), strict=True))
    return joint_signal(name, joints, turning, sliding).name
