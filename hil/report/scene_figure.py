"""Machines in space on a page: the scenes that the panel shows, drawn by matplotlib.

The projection is a plain orthographic one: lengths along the picture's axes are true in every
view, which the perspective of a ready-made 3-D axis would not give.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from hil.scene.colours import LIGHT
from hil.scene.eye import Eye
from hil.scene.figure import Build, Figure
from hil.scene.shaded import faces_of, painted

Array = NDArray[np.float64]
Colour = str | tuple[float, float, float, float]

MEANT: Final = 0.25
"""Share of the shading that a colour gets which stands for a value: it must be known again."""

NO_COLOURS: Final[Mapping[str, Colour]] = MappingProxyType({})

PIXELS: Final = 1000
"""Along the longer side of an image: about two for a dot of the picture, so edges are smooth."""


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
