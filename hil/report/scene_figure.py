"""Machines in space on a page: the scenes that the panel shows, drawn by matplotlib.

The projection is a plain orthographic one: lengths along the picture's axes are true in every
view, which the perspective of a ready-made 3-D axis would not give. Which face is seen at a pixel
is found with a depth buffer (E. Catmull, "A Subdivision Algorithm for Computer Display of Curved
Surfaces", University of Utah, 1974).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from hil.scene.camera import Eye
from hil.scene.colours import LIGHT
from hil.scene.figure import Build, Figure

Array = NDArray[np.float64]
Colour = str | tuple[float, float, float, float]

MEANT: Final = 0.25
"""Share of the shading that a colour gets which stands for a value: it must be known again."""

NO_COLOURS: Final[Mapping[str, Colour]] = MappingProxyType({})

PIXELS: Final = 1000
"""Along the longer side of an image: about two for a dot of the picture, so edges are smooth."""

DARKEST: Final = 0.62
"""Share of its colour that a face keeps which looks away from the lamp."""

_ON_EDGE: Final = -1e-6
"""Of a face's share: its edge counts as inside, so that no gap opens between two."""


def eye_from(azimuth_deg: float, elevation_deg: float) -> Eye:
    """An eye that looks at the origin from a side [deg]."""
    return Eye(np.zeros(3), 1.0, azimuth_deg, elevation_deg)


def draw_scene(
    axes: Axes,
    build: Build,
    figure: Figure,
    eye: Eye,
    *,
    given: Mapping[str, Colour] = NO_COLOURS,
    left_out: Collection[str] = (),
    opacity: float = 1.0,
) -> Array:
    """Draw a machine with equal scales on both axes; the corners of what is drawn [m], (N, 2).

    Args:
        given: colours of slots that stand for a value, in place of their roles'.
        left_out: slots that are not drawn.
        opacity: of the whole, 0 to 1.
    """
    seen = faces_of(build, figure, eye)
    names = tuple(zip(build.slots, figure.roles, strict=True))
    palette = np.array([to_rgb(given.get(slot, LIGHT.hex_of[role])) for slot, role in names])
    strength = np.array([MEANT if slot in given else 1.0 for slot in build.slots])
    rgb = palette[seen.slot] * (1.0 - strength[seen.slot] * (1.0 - seen.shade))[:, None]
    kept = ~np.array([slot in left_out for slot in build.slots])[seen.slot]
    corners = seen.corners_m[kept]
    image, (left, right, bottom, top) = painted(corners, rgb[kept], PIXELS)
    axes.use_sticky_edges = False  # room around the image as around lines
    axes.imshow(image, extent=(left, right, bottom, top), aspect="equal", alpha=opacity, zorder=2)
    return corners[..., :2].reshape(-1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Faces:
    """Triangles that look at the eye."""

    corners_m: Array
    """Right, up and towards the eye [m], shape (F, 3, 3)."""
    shade: Array
    slot: NDArray[np.intp]


def faces_of(build: Build, figure: Figure, eye: Eye) -> Faces:
    """What an eye far away on this eye's side sees of a figure, if nothing hides it; no ghosts."""
    table = build.packed.corners.astype(np.float64)
    part, slot = table[:, 6].astype(np.intp), table[:, 7].astype(np.intp)
    placed = figure.transforms[part]  # (V, 4, 4)
    points = np.einsum("vij,vj->vi", placed[:, :3, :3], table[:, :3]) + placed[:, :3, 3]
    seen = points @ eye.axes.T  # (V, 3)
    faces = build.packed.solid_faces.astype(np.intp)
    corners = seen[faces]  # (F, 3, 3); of what is not seen, one point
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    shown = normal[:, 2] > 1e-9 * np.abs(normal).max(initial=0.0)
    normal = normal[shown] / np.linalg.norm(normal[shown], axis=1, keepdims=True)
    light = np.clip(normal @ (eye.axes @ eye.lamp), 0.0, 1.0)
    first = faces[shown, 0]
    shade = DARKEST + (1.0 - DARKEST) * light
    return Faces(corners[shown], shade, slot[first])


def painted(corners_m: Array, rgb: Array, pixels: int) -> tuple[NDArray[np.uint8], Array]:
    """An image of faces, the nearest at each pixel.

    Args:
        corners_m: of the faces: right, up and towards the eye [m], shape (F, 3, 3).
        rgb: their colours, each 0 to 1, shape (F, 3).
        pixels: along the longer side.

    Returns:
        Red, green, blue and opacity, first row on top, shape (height, width, 4); left, right,
        bottom and top of the image [m].
    """
    low, high = corners_m[..., :2].min(axis=(0, 1)), corners_m[..., :2].max(axis=(0, 1))
    pixel_m = float((high - low).max()) / (pixels - 2)
    width, height = (np.ceil((high - low) / pixel_m).astype(int) + 2).tolist()
    across, up = np.arange(width) + 0.5, (np.arange(height) + 0.5)[:, None]
    origin = low - pixel_m
    flat = (corners_m[..., :2] - origin) / pixel_m  # (F, 3, 2), in pixels
    shares, starts, ends = _shares(flat), np.floor(flat.min(1)), np.ceil(flat.max(1))
    depths = np.einsum("fk,fkc->fc", corners_m[..., 2], shares)  # of x, y and 1, like the shares
    nearest = np.full((height, width), -np.inf)
    found = np.full((height, width), -1)
    boxes = np.hstack([starts, ends]).astype(int).tolist()
    for face, (x0, y0, x1, y1) in enumerate(boxes):
        x, y = across[x0:x1], up[y0:y1]
        (a, b, c), (d, e, f), (g, h, i) = shares[face].tolist()
        p, q, r = depths[face].tolist()
        depth = p * x + (q * y + r)
        inside = (a * x + (b * y + c) >= _ON_EDGE) & (d * x + (e * y + f) >= _ON_EDGE)
        inside &= (g * x + (h * y + i) >= _ON_EDGE) & (depth > nearest[y0:y1, x0:x1])
        nearest[y0:y1, x0:x1][inside] = depth[inside]
        found[y0:y1, x0:x1][inside] = face
    image = np.zeros((height, width, 4), np.uint8)
    there = found >= 0
    image[there, :3] = np.rint(255.0 * rgb)[found[there]].astype(np.uint8)
    image[there, 3] = 255
    right, top = origin + pixel_m * np.array([width, height])
    return image[::-1], np.array([origin[0], right, origin[1], top])


def _shares(flat: Array) -> Array:
    """Factors of x, y and 1 in each corner's share of a point (barycentric), shape (F, 3, 3)."""
    (ax, ay), (bx, by), (cx, cy) = (flat[:, k].T for k in range(3))
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)  # (F,), twice it
    rows = [
        [by - cy, cx - bx, bx * cy - cx * by],
        [cy - ay, ax - cx, cx * ay - ax * cy],
        [ay - by, bx - ax, ax * by - bx * ay],
    ]
    return np.moveaxis(np.array(rows) / area, 2, 0)
