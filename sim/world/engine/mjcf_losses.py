"""Parts of a robot's document that the engine's text leaves out."""

from collections.abc import Iterator
from typing import Final

from sim.world.engine.hulls import mesh_losses
from sim.world.robots.driven_universals import SECOND, driven_universals
from sim.world.robots.losses import Loss
from sim.world.robots.model import JointType, Robot
from sim.world.robots.sensors import DEFECTS, TIMING, sensor_keys

BESIDE_ENGINE: Final = (*TIMING, "tool_mass_kg", "range_m")
"""Fields of a sensor that are applied to the engine's measurement."""


def mjcf_losses(robot: Robot) -> Iterator[Loss]:
    """List each value that `sim.world.engine.mjcf.robot_text` leaves out or changes."""
    other = "the model's elements are named by the document's numbers"
    for row, word in ((robot.links, "link"), (robot.joints, "joint")):
        for one in row:
            if one.name:
                yield Loss(f"{word} {one.number}", "name", one.name, other)
    yield from mesh_losses(robot)
    for link in robot.links:
        if link.mesh is not None or (link.visual and link.visual.mesh):
            mesh = link.mesh or (link.visual and link.visual.mesh)
            reason = "its triangles are written instead, in metres; pictures stay files"
            yield Loss(f"link {link.number}", "mesh", mesh, reason)
        if link.density_kg_m3:
            reason = "its mass and inertia are written instead"
            yield Loss(f"link {link.number}", "density_kg_m3", link.density_kg_m3, reason)
    universal = driven_universals(robot)
    for joint in robot.joints:
        if joint.number in universal:
            hinges = f"hinges {joint.number} and {joint.number + SECOND}"
            reason = f"{hinges} stand for it, as a drive moves it"
            yield Loss(f"joint {joint.number}", "type", joint.type.value, reason)
        if joint.start is not None and joint.closes:
            reason = "a joint that closes a loop has no coordinates"
            yield Loss(f"joint {joint.number}", "start", joint.start, reason)
        if joint.closes and joint.type is JointType.HINGE:
            reason = "its axis is said by a second pair of points"
            yield Loss(f"joint {joint.number}", "axis", joint.axis, reason)
    if robot.machine is not None:
        yield Loss("robot", "machine", robot.machine, "a model has no bounds of a machine")
    for sensor in robot.sensors:
        for field, key in sensor_keys(sensor.kind).items():
            if field in BESIDE_ENGINE and (value := getattr(sensor, field)):
                yield Loss(f"sensor {sensor.called}", key, value, "a model measures without it")
        for one in sensor.defects:
            unsaid = {f"{word}_{one.unit}": getattr(one, word) for word in DEFECTS}
            for key, value in unsaid.items():
                if value:
                    yield Loss(f"sensor {sensor.called}", key, value, "a model measures without it")
