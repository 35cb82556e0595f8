"""What to write into a host's map so that its force or its pose can be a vehicle's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from platform6dof.cueing.plausible import UNITS, ForceFault, ForceFinding
from platform6dof.cueing.vehicle import GRAVITY_M_S2

if TYPE_CHECKING:
    from hil.hosts.maps import MapSettings

_OTHERS: Final = {
    ForceFault.ASKEW: "turn the sensor in the simulator until its axes are the vehicle's",
    ForceFault.ATTITUDE: "its angles must be roll right side down and pitch nose up",
    ForceFault.EMPTY: "begin the drive, or end its menu",
}


def quoted(text: str) -> str:
    """A text as TOML has it."""
    from hil.config.toml_text import toml_value

    return toml_value(text)


def axes_text(axes: Sequence[str]) -> str:
    """Three axes as TOML has them."""
    return f"[{', '.join(map(quoted, axes))}]"


def composed(axes: Sequence[str], before: Sequence[str]) -> tuple[str, ...]:
    """Axes that are named in what other axes gave, in the wire's own."""
    return tuple(_signed(one.startswith("-"), before["xyz".index(one[-1])]) for one in axes)


def host_remedy(finding: ForceFinding, settings: MapSettings) -> str:
    """What to write into the map of a host.

    Args:
        settings: the map that is in force.
    """
    if finding.fault in _OTHERS:
        return _OTHERS[finding.fault]
    if finding.fault is ForceFault.NO_GRAVITY:
        return (
            "let it send specific force, in the byte order of its wire; of a sender without "
            "gravity whose vehicle stays level, in its map: force_bias_m_s2 = [0.0, 0.0, "
            f"{GRAVITY_M_S2}]"
        )
    said: list[str] = []
    if finding.axes != ("x", "y", "z"):
        for key in ("force_axes", "rate_axes"):
            said.append(f"{key} = {axes_text(composed(finding.axes, getattr(settings, key)))}")
    if finding.unit:
        said.append(f"force_factor = {settings.force_factor * UNITS[finding.unit]:.6g}")
    elif finding.fault is ForceFault.WRONG_SCALE:
        said.append("force_factor so that it is, or the byte order of its wire")
    return f"in its map: {', '.join(said)}"


def _signed(negative: bool, axis: str) -> str:
    if not negative:
        return axis
    return axis[1:] if axis.startswith("-") else f"-{axis}"
