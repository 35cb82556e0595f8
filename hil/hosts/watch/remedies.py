"""What to write into a host's map so that its force or its pose can be a vehicle's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from platform6dof.cueing.course import COURSES
from platform6dof.cueing.line_fit import FINE, SCALE_MOST, WRONG_MOTION
from platform6dof.cueing.plausible import UNITS, ForceFault, ForceFinding
from platform6dof.cueing.slopes import AXES
from platform6dof.cueing.vehicle import GRAVITY_M_S2

if TYPE_CHECKING:
    from hil.hosts.maps import MapSettings

_OTHERS: Final = {
    ForceFault.ASKEW: "turn the sensor in the simulator until its axes are the vehicle's",
    ForceFault.ATTITUDE: "its angles must be roll right side down and pitch nose up",
    ForceFault.EMPTY: "begin the drive, or end its menu",
}


_HEADING, _NOSE = COURSES.index("heading"), COURSES.index("nose")
_COURSE_OF: Final = {
    _HEADING: "the turn of its way",
    COURSES.index("pitch"): "the climb of its way",
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


def slope_remedy(lines: Sequence[Sequence[float]], settings: MapSettings | None) -> str:
    """What is wrong with slopes of force and rates, and what to write into the map.

    Args:
        lines: slope, correlation, verdict and the axis that it is on, of each of `AXES`.
        settings: the map that is in force; None for none.
    """
    found: list[str] = []
    keys: list[str] = []
    for first, key, against in ((0, "force", "change of speed"), (3, "rate", "attitude")):
        group = lines[first : first + 3]
        wrong = [at for at in range(3) if group[at][2] != FINE]
        for at in wrong:
            slope, _, verdict, on = group[at]
            where = f"the {against}" if on == at else f"what {AXES[first + int(on)]} should be"
            where += ", both without gravity" * (verdict == WRONG_MOTION)
            found.append(f"{AXES[first + at]}: slope {slope:.3g} on {where}")
        if wrong and settings is not None:
            keys += _slope_keys(group, key, settings)
    if not found:
        return ""  # it was so, and is no more
    said = f"{', '.join(found)}; about 1 is right"
    return f"{said}; in its map: {', '.join(keys)}" if keys else said


def course_remedy(lines: Sequence[Sequence[float]], angles: str) -> str:
    """What is wrong with where a vehicle goes and points, and what to look at in the map.

    Args:
        lines: slope, correlation, verdict and the axis that it is on, of each of `COURSES`.
        angles: whose other sign fits the rates; empty for none.
    """
    if angles:
        return f"the rates fit another sign of {angles}: turn it over, or the rates, in its map"
    found: list[str] = []
    wrong = [at for at, line in enumerate(lines) if line[2] != FINE]
    for at in wrong:
        slope, _, _, on = lines[at]
        if at == _NOSE:
            share = 100.0 * slope
            found.append(f"{share:.0f} % of its way goes where its nose points: most must")
            continue
        against = "the change of its place" if at < _HEADING else _COURSE_OF[at]
        against = against if on == at else f"what {COURSES[int(on)]} should be"
        found.append(f"{COURSES[at]}: slope {slope:.3g} on {against}")
    if not found:
        return ""  # it was so, and is no more
    keys = "velocity or position" if min(wrong) < _HEADING else "the angles, or of the velocity"
    return f"{', '.join(found)}; about 1 is right; in its map: another sign, axis or unit of {keys}"


def _slope_keys(group: Sequence[Sequence[float]], key: str, settings: MapSettings) -> list[str]:
    """Keys that make three slopes 1."""
    before: Sequence[str] = getattr(settings, f"{key}_axes")
    keys: list[str] = []
    axes, sizes = list(before), list[float]()
    motion = [slope for slope, _, verdict, _ in group if verdict == WRONG_MOTION]
    if motion:
        what = "sign" if min(motion) < 0.0 else "unit"
        keys.append(f"another {what} of its acceleration")
    for at, (slope, _, verdict, on) in enumerate(group):
        if verdict not in (FINE, WRONG_MOTION):
            axes[int(on)] = _signed(slope < 0.0, before[at])
            sizes.append(abs(slope))
    if axes != list(before):
        whole = len({one[-1] for one in axes}) == 3
        keys.append(f"{key}_axes = {axes_text(axes)}" if whole else f"the right {key}_axes")
    size = max(sizes, default=1.0)
    if not 1.0 / SCALE_MOST <= size <= SCALE_MOST:
        factor = getattr(settings, f"{key}_factor") / size
        keys.append(f"{key}_factor = about {factor:.3g}")
    return keys


def _signed(negative: bool, axis: str) -> str:
    if not negative:
        return axis
    return axis[1:] if axis.startswith("-") else f"-{axis}"
