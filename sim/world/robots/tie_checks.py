"""Checks of the tree of links and joints with its loops, and of its bodies.

To be run when their values are right by themselves (:mod:`sim.world.robots.value_checks`).
"""

from collections.abc import Iterable, Iterator

from sim.world.robots.bodies import far_points_m, needs_length, placed_bodies
from sim.world.robots.body import BodyShape
from sim.world.robots.faults import Finding
from sim.world.robots.fitting_checks import fitting_findings
from sim.world.robots.missing_inertia import pointlike
from sim.world.robots.model import (
    BASE,
    CHAIN_MAX,
    NOWHERE,
    REST,
    JointType,
    Robot,
    RobotJoint,
    RobotLink,
)
from sim.world.robots.tree import spanning_tree

Rows = dict[int, tuple[int, RobotJoint]]
"""Index and joint, by a link's number."""


def tie_findings(robot: Robot) -> Iterator[Finding]:
    """Find what is wrong with how links and joints are tied to each other."""
    ends = list(_unknown_ends(robot))
    yield from ends
    drivers: Rows = {}
    yield from _drivers(robot, drivers)
    yield from _leaving(robot)
    yield from _base(robot)
    yield from _mimics(robot)
    if not ends:
        yield from fitting_findings(robot)
        yield from _connected(robot, drivers)
        yield from _bodies(robot, drivers)


def _link(robot: Robot, index: int, field: str, value: object, *words: str) -> Finding:
    subject = f"link {robot.links[index].number}"
    return Finding(("link", index, field), subject, value, *words)


def _joint(robot: Robot, index: int, field: str, value: object, *words: str) -> Finding:
    subject = f"joint {robot.joints[index].number}"
    return Finding(("joint", index, field), subject, value, *words)


def _unknown_ends(robot: Robot) -> Iterator[Finding]:
    """Find links that joints name and the robot lacks."""
    known = {link.number for link in robot.links}
    for index, joint in enumerate(robot.joints):
        is_end = joint.type is JointType.END
        if joint.parent not in known and joint.parent != NOWHERE:
            right = f"a link that is there ({_some(sorted(known))})"
            yield _joint(robot, index, "parent", joint.parent, "no such link", right)
        if is_end and joint.child != NOWHERE:
            right = f"{NOWHERE}, as an end moves no link"
            yield _joint(robot, index, "child", joint.child, "an end leads to a link", right)
        elif not is_end and joint.child not in known:
            right = f"a link that is there ({_some(sorted(known))}); the type of an end is end"
            yield _joint(robot, index, "child", joint.child, "no such link", right)
        if joint.parent == joint.child:
            right = "two different links"
            yield _joint(robot, index, "child", joint.child, "it ties a link to itself", right)


def _drivers(robot: Robot, drivers: Rows) -> Iterator[Finding]:
    """Find links that two joints move, or none; fill ``drivers``."""
    for index, joint in enumerate(robot.joints):
        if joint.closes or joint.type is JointType.END:
            continue
        if (first := drivers.setdefault(joint.child, (index, joint)))[0] != index:
            problem = f"joint {first[1].number} moves link {joint.child} as well"
            right = "one that closes a loop has a point on both links"
            yield _joint(robot, index, "child", joint.child, problem, right)
    for index, link in enumerate(robot.links):
        if link.number not in drivers:
            right = f"a joint whose second link is {link.number}"
            yield _link(robot, index, "number", link.number, "it is not connected", right)


def _leaving(robot: Robot) -> Iterator[Finding]:
    """Find joints that a link lists as leaving it and that do not, and those it does not list."""
    joints = {joint.number: joint for joint in robot.joints}
    left: dict[int, list[int]] = {}
    for joint in robot.joints:
        left.setdefault(joint.parent, []).append(joint.number)
    for index, link in enumerate(robot.links):
        own = left.get(link.number, [])
        for number in link.leaving:
            joint = joints.get(number)
            if joint is None or joint.parent != link.number:
                problem = f"joint {number} {'is not there' if joint is None else 'leaves another'}"
                if joint is not None:
                    problem += f": link {joint.parent}"
                right = f"those of link {link.number}: {_some(own)}"
                yield _link(robot, index, "leaving", link.leaving, problem, right)
        if len(set(link.leaving)) < len(link.leaving):
            right = "each joint once"
            yield _link(robot, index, "leaving", link.leaving, "a joint stands twice", right)
        if absent := sorted({*own} - {*link.leaving}):
            problem = f"joint {_some(absent)} leaves this link and is not named"
            right = f"those of link {link.number}: {_some(own)}"
            yield _link(robot, index, "leaving", link.leaving, problem, right)


def _base(robot: Robot) -> Iterator[Finding]:
    """Check the base's joint: number 0, from nowhere to link 0, fixed or free."""
    found = False
    for index, joint in enumerate(robot.joints):
        if joint.parent == NOWHERE and (joint.number, joint.child) != (0, BASE):
            right = "the link before it; only joint 0, to link 0, comes from -1"
            yield _joint(robot, index, "parent", joint.parent, "it comes from nowhere", right)
        elif joint.parent == NOWHERE:
            found = True
            if joint.type not in (JointType.FIXED, JointType.FREE):
                right = "fixed or free"
                yield _joint(robot, index, "type", joint.type.value, "it bears the base", right)
        elif joint.type is JointType.FREE and (joint.parent != BASE or _base_is_free(robot)):
            right = "only the base is free, or links that leave a fixed base"
            yield _joint(robot, index, "type", joint.type.value, "it is no free link", right)
    if not found:
        problem = "there is no joint that bears the base"
        right = "joint 0, fixed or free, from link -1 to link 0"
        yield Finding(("joint", len(robot.joints), "number"), "joint 0", None, problem, right)


def _base_is_free(robot: Robot) -> bool:
    return any(one.child == BASE and one.type is JointType.FREE for one in robot.joints)


def _mimics(robot: Robot) -> Iterator[Finding]:
    """Find joints that follow what cannot be followed."""
    joints = {joint.number: joint for joint in robot.joints}
    for index, joint in enumerate(robot.joints):
        if joint.mimic is None:
            continue
        other = joints.get(joint.mimic.joint)
        problem = ""
        if other is None:
            problem = "no such joint"
        elif other.number == joint.number or other.mimic is not None:
            problem = "it follows a joint that follows"
        elif len(REST[joint.type]) != 1 or len(REST[other.type]) != 1:
            problem = "not both have one coordinate"
        elif joint.closes or other.closes:
            problem = "a joint that closes a loop has no coordinate"
        if problem:
            right = "a hinge or slide of the tree that follows nobody"
            yield _joint(robot, index, "mimic", joint.mimic.joint, problem, right)


def _connected(robot: Robot, drivers: Rows) -> Iterator[Finding]:
    """Find cycles of joints none of which closes a loop, each once."""
    tree = spanning_tree(robot)
    yield from _long(robot, [link.number for link in tree.links], drivers)
    done = {link.number for link in tree.links}
    for link in robot.links:
        path: list[int] = []
        number = link.number
        while number not in done and number in drivers:
            done.add(number)
            path.append(number)
            number = drivers[number][1].parent
        if number in path:
            cycle = path[path.index(number) :]
            index, joint = drivers[cycle[0]]
            problem = f"links {_some(cycle)} carry each other and no joint closes the cycle"
            right = "a joint that closes a loop has a point on both links"
            yield _joint(robot, index, "child", joint.child, problem, right)


def _long(robot: Robot, order: Iterable[int], drivers: Rows) -> Iterator[Finding]:
    """Find the first link that too many others carry; those that carry come first in the order."""
    depths: dict[int, int] = {}
    for number in order:
        depths[number] = depths.get(drivers[number][1].parent, 0) + 1
        if depths[number] > CHAIN_MAX:
            index = next(at for at, one in enumerate(robot.links) if one.number == number)
            problem = f"more than {CHAIN_MAX} links carry one another up to it"
            right = f"chains of at most {CHAIN_MAX} links"
            yield _link(robot, index, "number", number, problem, right)
            return


def _bodies(robot: Robot, drivers: Rows) -> Iterator[Finding]:
    """Find bodies without a length, and moving links without a mass."""
    far = far_points_m(robot)
    lengthless = {link.number for link in robot.links if needs_length(link, far.get(link.number))}
    for index, link in enumerate(robot.links):
        if link.number in lengthless:
            right = "add the length to its size"
            problem = "no two joints tell how long it is"
            yield _link(robot, index, "size_m", link.size_m, problem, right)
    if lengthless:
        return
    masses = {number: body.mass.mass_kg for number, body in placed_bodies(robot).items()}
    carried = dict(masses)
    for link in reversed(spanning_tree(robot).links):
        if (before := drivers[link.number][1].parent) in carried:
            carried[before] += carried[link.number]
    points = {*pointlike(robot)}
    for index, link in enumerate(robot.links):
        driver = drivers[link.number][1] if link.number in drivers else None
        if driver is None or driver.type is JointType.FIXED:
            continue
        if driver.armature == 0.0:
            bare = link.shape is BodyShape.NONE and link.mass_kg is None
            mass_kg = carried[link.number] if bare else masses[link.number]
            yield from _has_mass(robot, index, link, mass_kg)
        if link.number in points:
            right = "moments above 0 kg m2 of it, or of a link that is fixed to it"
            problem = "a moving link has its mass at a point"
            yield _link(robot, index, "inertia", None, problem, right)


def _has_mass(robot: Robot, index: int, link: RobotLink, mass_kg: float) -> Iterator[Finding]:
    """Find a moving link without mass; links that carry some may be empty: parts of one joint."""
    if mass_kg <= 0.0:
        field = "mass_kg" if link.mass_kg is not None else "density_kg_m3"
        bare = link.shape is BodyShape.NONE
        right = "give it a body or its inertia" if bare else "above 0 (steel: 7850 kg/m3)"
        yield _link(robot, index, field, getattr(link, field), "a moving link has no mass", right)


def _some(numbers: Iterable[int]) -> str:
    """List some numbers, the first eight."""
    found = list(numbers)
    return ", ".join(map(str, found[:8])) + ", …" * (len(found) > 8) if found else "none"
