"""What a mobile robot remembers of its surroundings, and where it can go among them."""

from __future__ import annotations

import math
from typing import Final

from hil.diagram.file.model import NAME
from hil.diagram.library.kind import (
    NO_PAIRS,
    BlockKind,
    BlockSetting,
    Example,
    ParameterKind,
    Parameters,
    PortKind,
    Ports,
)

GROUP: Final = "navigation"
POINTS_MOST: Final = 1000
"""Most points of a memory."""
BEAMS_MOST: Final = 360
"""Most beams of a memory."""
FAR_M: Final = 1e6
"""Coordinate of points that have not been found yet [m]."""


def _memory(p: Parameters) -> Ports:
    fans = p["fans"].split()
    beams = (len(p["beams"]) // max(1, len(fans)),)
    ends = tuple(
        port
        for fan in fans
        for port in (
            PortKind(fan, "m", beams, frame=f"?{fan}"),
            PortKind(f"{fan}_seen", "1", beams, "boolean", f"?{fan}_seen"),
        )
    )
    where = (PortKind("place", "m", (3,), frame="?w"), PortKind("ahead", "1", (3,), frame="?w"))
    return Ports((*where, *ends), (PortKind("points", "m", (p["points"], 2), frame="?p"),))


def _memory_fault(p: Parameters) -> str:
    fans, beams = p["fans"].split(), p["beams"]
    for name in fans:
        if not NAME.fullmatch(name):
            return f"fans: {name[:60]!r}: a letter, then at most 63 letters, digits and _"
    if not fans or len({*fans, "place", "ahead"}) < len(fans) + 2:
        return "fans: one name or more, each once, and neither place nor ahead"
    if any(len(row) != 3 for row in beams):
        return "beams: rows of x, y and angle are needed"
    if not 1 <= len(beams) <= BEAMS_MOST or len(beams) % len(fans):
        count = f"{len(beams)} rows for {len(fans)} fans"
        return f"beams: {count}; as many for each fan, and at most {BEAMS_MOST}, are needed"
    return ""


def _memory_numbers(p: Parameters, _: BlockSetting) -> list[float]:
    """Count fans, beams of each and points; spacing squared, reach; place and axis of each beam."""
    fans, spacing_m = len(p["fans"].split()), p["spacing_m"]
    head = [fans, len(p["beams"]) // fans, p["points"], spacing_m * spacing_m, p["reach_m"]]
    beams = ((x, y, math.cos(angle), math.sin(angle)) for x, y, angle in p["beams"])
    return [*head, *(number for beam in beams for number in beam)]


def _known(p: Parameters) -> tuple[PortKind, PortKind]:
    return (
        PortKind("points", "m", (p["points"], 2), frame="?p"),
        PortKind("place", "m", (3,), frame="?w"),
    )


def _scalars(*ports: tuple[str, str]) -> tuple[PortKind, ...]:
    return tuple(PortKind(name, unit, ()) for name, unit in ports)


def _search(p: Parameters) -> Ports:
    asked = _scalars(("wanted", "1"), ("hand", "1"), ("length", "m"))
    return Ports((*_known(p), *asked), _scalars(("direction", "1"), ("free", "m")))


def _length(p: Parameters) -> Ports:
    asked = _scalars(("direction", "1"), ("length", "m"))
    return Ports((*_known(p), *asked), _scalars(("free", "m")))


def _nearest(p: Parameters) -> Ports:
    return Ports(_known(p), _scalars(("distance", "m")))


FOUR: Final = ((1.0, 0.1), (0.9, -0.5), (2.0, 0.0), (-1.0, 0.2))
HALF_WIDTH: Final = ParameterKind("half_width_m", default=0.37, above=0.0, high=100.0, unit="m",
                                  about="radius of the disc")  # fmt: skip
STEP: Final = ParameterKind("step_rad", default=0.07, low=0.001, high=math.pi, unit="rad")
POINTS: Final = ParameterKind("points", "integer", 160, low=1, high=POINTS_MOST)

KINDS: Final = (
    BlockKind(
        name="BeamMemory", group=GROUP,
        about="Points in the world's plane that a robot's beams have met, the oldest given up.",
        equation="p = place + R(ahead) (at + distance (cos angle, sin angle)); it replaces the "
        "oldest point if the beam sees something within reach_m and no point is nearer to p than "
        "spacing_m",
        ports=_memory, check=_memory_fault, direct=NO_PAIRS, numbers=_memory_numbers,
        states=lambda p, _: 2 * p["points"] + 1,
        initial=lambda p, _: (*(2 * p["points"] * (FAR_M,)), 0.0),
        parameters=(
            ParameterKind("fans", "text", high=1000, about="names of groups of beams: left right"),
            ParameterKind("beams", "matrix", unit="m, m, rad",
                          about="place and angle of each in the robot's axes, fan after fan"),
            POINTS,
            ParameterKind("spacing_m", default=0.07, above=0.0, high=10.0, unit="m"),
            ParameterKind("reach_m", default=1.2, above=0.0, high=1e3, unit="m",
                          about="distance beyond which a beam's point is not taken"),
        ),
        example=Example(
            {"fans": "left", "beams": ((0.0, 0.3, 1.2), (0.0, 0.3, 1.6), (0.0, 0.3, 1.9)),
             "points": 4},
            {"place": (1.0, 2.0, 0.0), "ahead": (0.6, 0.8, 0.0), "left": (0.5, 0.7, 0.6),
             "left_seen": (True, False, True)},
        ),
    ),
    BlockKind(
        name="FreeDirection", group=GROUP,
        about="The first direction in which a disc can go a length among points.",
        equation="from the wanted angle on by step_rad, counter-clockwise for hand > 0, clockwise "
        "for hand < 0, else by turns; free as of FreeLength; without a free direction the freest",
        ports=_search, parameters=(POINTS, HALF_WIDTH, STEP),
        example=Example(
            {"points": 4},
            {"points": FOUR, "place": (0.0, 0.0, 0.0), "wanted": 0.0, "hand": 0.0, "length": 1.0},
        ),
    ),
    BlockKind(
        name="FreeLength", group=GROUP,
        about="How far a disc goes in a direction until it touches a point.",
        equation="free = least of length and along - sqrt(half_width_m^2 - across^2) of points "
        "ahead with |across| < half_width_m; 0 if the disc is on one already",
        ports=_length, parameters=(POINTS, HALF_WIDTH),
        example=Example(
            {"points": 4},
            {"points": FOUR, "place": (0.0, 0.0, 0.0), "direction": 0.0, "length": 2.0},
        ),
    ),
    BlockKind(
        name="NearestPoint", group=GROUP, about="Distance of the nearest of some points.",
        equation="distance = least |point - place| in the plane",
        ports=_nearest, parameters=(POINTS,),
        example=Example({"points": 4}, {"points": FOUR, "place": (0.0, 0.0, 0.0)}),
    ),
)  # fmt: skip
