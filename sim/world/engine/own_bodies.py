"""Contacts between links of one robot, where its document forbids them."""

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

from sim.world.engine.world import World
from sim.world.robots.body import BodyShape
from sim.world.robots.model import NOWHERE, Robot

Pair = tuple[int, int]


def own_pairs(robot: Robot, lone: World) -> tuple[Pair, ...]:
    """List pairs of links that no joint joins and that are apart at the start, by number.

    Args:
        lone: the robot where it starts, alone.
    """
    # A world and what is measured in it are parts of one thing.
    library: Any = lone._engine  # noqa: SLF001
    model: Any = lone._model  # noqa: SLF001
    data: Any = lone._data  # noqa: SLF001
    joined = set(_joined(robot))
    bodies = [link.number for link in robot.links if link.shape is not BodyShape.NONE]
    shapes = {link: _shapes(model, lone.robots[0].bodies()[link]) for link in bodies}
    found: list[Pair] = []
    for one, other in combinations(bodies, 2):
        if frozenset((one, other)) in joined:
            continue
        pairs = product(shapes[one], shapes[other])
        if all(library.mj_geomDistance(model, data, *pair, 1.0, None) > 0.0 for pair in pairs):
            found.append((one, other))
    return tuple(found)


def _shapes(model: Any, body: int) -> list[int]:
    """Engine's numbers of a body's shapes that touch others."""
    first = int(model.body_geomadr[body])
    geoms = range(first, first + int(model.body_geomnum[body]))
    return [geom for geom in geoms if model.geom_contype[geom]]


def _joined(robot: Robot) -> Iterator[frozenset[int]]:
    """Links that a joint joins, or several with only shapeless links between."""
    shapes = {link.number: link.shape for link in robot.links}
    beside: dict[int, set[int]] = {number: set() for number in shapes}
    for joint in robot.joints:
        if NOWHERE not in (joint.parent, joint.child):
            beside[joint.parent].add(joint.child)
            beside[joint.child].add(joint.parent)
    for number in shapes:
        reached, waiting = {number}, [number]
        while waiting:
            for other in beside[waiting.pop()] - reached:
                reached.add(other)
                if shapes[other] is BodyShape.NONE:
                    waiting.append(other)
                else:
                    yield frozenset((number, other))
