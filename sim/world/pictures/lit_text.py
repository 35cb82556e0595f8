"""A model's text with additions for pictures: floor, lights, sky, axes.

Nothing that is added touches anything or has a mass.
"""

import math
from xml.etree.ElementTree import Element, fromstring

import numpy as np
from numpy.typing import NDArray

from sim.world.pictures.wire import PictureOrder, WireError
from sim.world.robots.xml_writer import add, document

Array = NDArray[np.float64]

AXES = ((0.85, 0.08, 0.08), (0.05, 0.60, 0.12), (0.10, 0.25, 0.90))
"""Colours of x, y and z."""
AXIS_LENGTH = 0.11
"""Length of drawn axes, by the size of the model."""
MARK = "picture_"
"""Prefix of the names of everything that is added."""
SHADOW_TEXELS = {"draft": 0, "fine": 8192}
EDGE_SAMPLES = {"draft": 0, "fine": 8}
ROUND_EDGES = {"draft": 28, "fine": 96}
"""Number of edges about a drawn cylinder."""
HEAD, HEAD_BESIDE_LAMPS = (0.36, 0.25), (0.38, 0.20)
"""Light from all sides, and from the camera: beside the lamp of pictures, and beside a model's own
lamps instead of that."""

SEEN_FAR = 0.3
"""Least size of a model for the far plane, in parts of the camera's distance."""


def lit_text(order: PictureOrder, points_m: Array, *, floor: bool) -> str:
    """Write the text that is drawn.

    Args:
        points_m: what the model fills, in the world, shape (points, 3).
        floor: whether it has none of its own.

    Raises:
        WireError: if axes are asked of what it does not have.
    """
    root = fromstring(order.text)  # noqa: S314  # of the engine that has taken it already
    low, high = points_m.min(axis=0), points_m.max(axis=0)
    away_m = max((view.distance_m or 0.0 for view in order.views), default=0.0)
    middle, extent = 0.5 * (low + high), max(_extent_m(points_m), SEEN_FAR * away_m)
    lamps = root.find(".//light") is not None
    _surroundings(root, order, middle, extent, HEAD_BESIDE_LAMPS if lamps else HEAD)
    world = root.find("worldbody")
    world = add(root, "worldbody") if world is None else world
    _axes(world, order.frames, axis_length_m(points_m))
    if not lamps:
        _light(world, order.views[0].azimuth_rad, middle, extent)
    if floor:
        add(world, "geom", name=f"{MARK}floor", type="plane", size=(0.0, 0.0, 1.0),
            pos=(0.0, 0.0, min(0.0, float(low[2]))), material=f"{MARK}floor",
            contype=0, conaffinity=0, mass=0.0)  # fmt: skip
    return document(root)


def axis_length_m(points_m: Array) -> float:
    """Length of drawn axes, for a model that fills some points, shape (points, 3)."""
    return AXIS_LENGTH * _extent_m(points_m)


def _extent_m(points_m: Array) -> float:
    return max(float(np.linalg.norm(np.ptp(points_m, axis=0))), 1e-3)


def _surroundings(
    root: Element, order: PictureOrder, middle: Array, extent: float, head: tuple[float, float]
) -> None:
    """Add the sky, the floor's squares, the light, and the quality of drawing.

    Head light and lamp add up to 1 at most: what is more is cut off without shadows only.

    Args:
        head: light from all sides, and from the camera.
    """
    around, ahead = head
    add(root, "statistic", center=middle, extent=extent)
    visual = add(root, "visual")
    add(visual, "global", offwidth=order.width, offheight=order.height,
        fovy=math.degrees(order.fovy_rad))  # fmt: skip
    add(visual, "quality", shadowsize=SHADOW_TEXELS[order.quality],
        offsamples=EDGE_SAMPLES[order.quality], numslices=ROUND_EDGES[order.quality],
        numstacks=ROUND_EDGES[order.quality] // 2)  # fmt: skip
    add(visual, "headlight", ambient=(around, around, around + 0.01),
        diffuse=(ahead,) * 3, specular=(0.05, 0.05, 0.05))  # fmt: skip
    add(visual, "map", znear=0.005, zfar=60.0, shadowclip=1.5, haze=0.45)
    add(visual, "rgba", haze=(0.93, 0.95, 0.97, 1.0))
    asset = add(root, "asset")
    add(asset, "texture", name=f"{MARK}sky", type="skybox", builtin="gradient",
        rgb1=(0.72, 0.82, 0.92), rgb2=(0.95, 0.96, 0.97), width=256, height=1536)  # fmt: skip
    add(asset, "texture", name=f"{MARK}floor", type="2d", builtin="checker", mark="edge",
        rgb1=(0.95, 0.95, 0.96), rgb2=(0.88, 0.89, 0.90), markrgb=(0.79, 0.80, 0.82),
        width=512, height=512)  # fmt: skip
    add(asset, "material", name=f"{MARK}floor", texture=f"{MARK}floor", texuniform=True,
        texrepeat=(1.0 / _square_m(extent),) * 2, reflectance=0.0, specular=0.0)  # fmt: skip
    for name, colour in zip("xyz", AXES, strict=True):
        add(asset, "material", name=f"{MARK}{name}", rgba=(*colour, 1.0), emission=0.6)


def _square_m(extent: float) -> float:
    """Edge of two squares of the floor: 0.2 m, 2 m …, so that a robot covers some of them."""
    return 2.0 * 10.0 ** round(math.log10(extent) - 0.8)


def _light(world: Element, azimuth_rad: float, middle: Array, extent: float) -> None:
    """Add a lamp far away, behind the left shoulder of the first camera."""
    azimuth = azimuth_rad - math.radians(50.0)
    towards = np.array([0.36 * math.cos(azimuth), 0.36 * math.sin(azimuth), -1.0])
    towards /= np.linalg.norm(towards)
    add(world, "light", name=f"{MARK}lamp", type="directional", castshadow=True,
        pos=middle - 2.0 * extent * towards, dir=towards, diffuse=(0.39, 0.39, 0.38),
        ambient=(0.0, 0.0, 0.0), specular=(0.2, 0.2, 0.2))  # fmt: skip


def _axes(world: Element, frames: tuple[str, ...], length_m: float) -> None:
    """Add axes of bodies in them, of sites in their bodies."""
    places: dict[str, tuple[Element, Element | None]] = {}
    for body in world.iter():
        if body.tag == "body":
            places[body.get("name", "")] = (body, None)
        for site in body.findall("site"):
            places.setdefault(site.get("name", ""), (body, site))
    for index, name in enumerate(frames):
        if name not in places:
            raise WireError(f"axes of {name!r}: the model has no such body or site")
        body, site = places[name]
        place = {key: site.get(key) for key in ("pos", "quat")} if site is not None else {}
        holder = add(body, "frame", **place)
        for axis, colour in enumerate("xyz"):
            far = [0.0, 0.0, 0.0]
            far[axis] = length_m
            add(holder, "geom", name=f"{MARK}{index}{colour}", type="capsule",
                fromto=(0.0, 0.0, 0.0, *far), size=(length_m / 22.0,), material=f"{MARK}{colour}",
                contype=0, conaffinity=0, mass=0.0)  # fmt: skip
