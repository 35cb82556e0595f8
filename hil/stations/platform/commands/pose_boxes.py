"""Boxes of poses as text: twelve ends, in metres and degrees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.terminal.console import numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hil.machines.rig.settings import Rig
    from platform6dof.workspace import PoseBox

    Array = NDArray[np.float64]

BOX_NAMES = "x0,x1,y0,y1,z0,z1 [m],alpha0,alpha1,beta0,beta1,gamma0,gamma1 [deg]"
BoxOption = Annotated[
    str | None,
    typer.Option(
        "--box",
        metavar="X0,X1,…,G0,G1",
        help="Twelve ends of a box of poses [m, deg]; the rig's pose box if left out.",
    ),
]


def box_of(rig: Rig, text: str | None) -> PoseBox:
    """Read a box of poses in SI; the rig's pose box without a text."""
    import numpy as np

    from platform6dof.workspace import PoseBox

    if text is None:
        return rig.pose_box.box()
    values = numbers(text, 12, "--box", BOX_NAMES)
    require_near("--box", text, values[:6])
    require_turned("--box", values[6:])
    ends = np.array(values).reshape(6, 2).T
    require_order("--box", ends[0], ends[1], strict=False)
    ends[:, 3:] = np.radians(ends[:, 3:])
    return PoseBox(ends[0], ends[1])


def require_order(option: str, lower: Array, upper: Array, *, strict: bool) -> None:
    """Refuse ends of which the upper comes first."""
    for low, high in zip(lower.tolist(), upper.tolist(), strict=True):
        if low > high or (strict and low == high):
            raise ConfigError(option, [f"{low:g} comes before {high:g}: lower ends come first"])


def require_near(option: str, text: str, places: list[float]) -> list[float]:
    """Refuse places that were not given in metres."""
    from hil.stations.platform.proof.workspace_request import FARTHEST_M

    if max(map(abs, places)) > FARTHEST_M:
        far = f"{text}: further than {FARTHEST_M:g} m; positions are in metres"
        raise ConfigError(option, [far])
    return places


def require_turned(option: str, angles: list[float]) -> list[float]:
    """Refuse angles of more than a turn [deg]."""
    for angle in angles:
        if abs(angle) > 360.0:
            raise ConfigError(option, [f"{angle:g}° is more than a whole turn, 360°"])
    return angles
