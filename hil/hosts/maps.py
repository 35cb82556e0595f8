"""Maps of hosts: TOML files that say which wire a simulator speaks and how its axes stand.

A map is named by its file in ``configs/hosts``, or is a file of its own beside a scenario.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from hil.config.errors import ConfigError, about
from hil.config.file_search import find_file
from hil.config.offers import Offer, offer_named, offers
from hil.config.settings import Settings, apply_overrides, read_toml
from hil.hosts.kind import GROUP, HostKind
from hil.hosts.vehicle_limits import MeansSettings
from platform6dof.cueing.vehicle import Vector3, VehicleState

SignedAxis = Literal["x", "-x", "y", "-y", "z", "-z"]
SignedAxes = tuple[SignedAxis, SignedAxis, SignedAxis]
"""Which axes of a source point forward, right, down."""
Bias = Annotated[float, Field(ge=-1e3, le=1e3)]
Factor = Annotated[float, Field(ge=1e-6, le=1e6)]
"""From a sender's unit to the one that its wire has; a sign is an axis' affair."""

_STRAIGHT: SignedAxes = ("x", "y", "z")
_NO_BIAS = (0.0, 0.0, 0.0)


class MapSettings(Settings):
    """What every kind's map has; each kind adds its own keys."""

    kind: str
    """Which wire it is for: a name under the entry points `hil.hosts`."""
    force_axes: SignedAxes = _STRAIGHT
    """Which of the wire's axes of force point forward, right, down."""
    force_bias_m_s2: tuple[Bias, Bias, Bias] = _NO_BIAS
    """What the wire's force says too much, forward, right, down [m/s²]."""
    rate_axes: SignedAxes = _STRAIGHT
    """Which of the wire's rates turn about forward, right, down."""
    rate_bias_rad_s: tuple[Bias, Bias, Bias] = _NO_BIAS
    """What the wire's rates say too much [rad/s]."""
    force_factor: Factor = 1.0
    """What the wire's force is multiplied by, where a sender's unit is another than the wire's:
    9.80665 for g where m/s² are meant [1]."""
    rate_factor: Factor = 1.0
    """What its rates and their derivatives are multiplied by: 0.0174533 for deg/s where rad/s are
    meant [1]."""
    velocity_factor: Factor = 1.0
    """What its velocity is multiplied by: 0.277778 for km/h where m/s are meant [1]."""
    position_factor: Factor = 1.0
    """What its place is multiplied by: 0.3048 for feet where metres are meant [1]."""
    lowpass_hz: Annotated[float, Field(ge=0.1, le=1000.0)] | None = None
    """Corner of a second-order low-pass through all that is followed, at the loop's rate: what is
    faster shakes a simulator's sensor, and no leg follows it [Hz]. It comes √2 / (2 pi corner)
    later. Left out: none."""
    means: MeansSettings = MeansSettings()
    """What the vehicle can do at most."""

    def unseen(self) -> str:
        """What must be looked at before it is followed, and the key to write; empty if nothing."""
        return ""

    def pose_finding(self, position_m: Vector3, turn_rad: Vector3) -> str:
        """Why a pose cannot be the one that a ride begins from; empty if it can, or nobody knows.

        Args:
            position_m: forward, right, down from neutral [m].
            turn_rad: roll, pitch, yaw from neutral [rad].
        """
        del position_m, turn_rad
        return ""


def turned(vector: Vector3, axes: SignedAxes) -> Vector3:
    """The components of a vector that point forward, right, down."""
    x, y, z = (
        (-vector["xyz".index(axis[-1])] if axis[0] == "-" else vector["xyz".index(axis)])
        for axis in axes
    )
    return x, y, z


def mapped(state: VehicleState, settings: MapSettings) -> VehicleState:
    """A decoded state in the vehicle's axes and in SI units, as its map says."""
    if _is_plain(settings):
        return state
    force, rates = turned(state.f_m_s2, settings.force_axes), settings.rate_axes
    turn = settings.rate_factor
    return replace(
        state,
        f_m_s2=_less(_times(force, settings.force_factor), settings.force_bias_m_s2),
        omega_rad_s=_less(_times(turned(state.omega_rad_s, rates), turn), settings.rate_bias_rad_s),
        domega_rad_s2=_times(turned(state.domega_rad_s2, rates), turn),
        v_m_s=_times(state.v_m_s, settings.velocity_factor),
        position_m=_times(state.position_m, settings.position_factor),
    )


def _is_plain(settings: MapSettings) -> bool:
    """Whether a map changes nothing of what its wire tells."""
    return (
        settings.force_axes == settings.rate_axes == _STRAIGHT
        and settings.force_bias_m_s2 == settings.rate_bias_rad_s == _NO_BIAS
        and settings.force_factor == settings.rate_factor == 1.0
        and settings.velocity_factor == settings.position_factor == 1.0
    )


def _less(vector: Vector3, bias: Vector3) -> Vector3:
    return vector[0] - bias[0], vector[1] - bias[1], vector[2] - bias[2]


def _times(vector: Vector3, factor: float) -> Vector3:
    return factor * vector[0], factor * vector[1], factor * vector[2]


def installed_hosts() -> tuple[Offer, ...]:
    """All kinds of hosts by name, ours and those of others; those that cannot be used say why."""
    return offers(GROUP, _not_a_host)


def host_kind(name: str, source: str, place: str = "kind") -> HostKind:
    """The kind of a name.

    Args:
        source: the file that names it, for error texts.
        place: its key there.

    Raises:
        ConfigError: if nobody offers it, with the names that there are, or it is broken.
    """
    offer = offer_named(GROUP, name, _not_a_host)
    if offer is None:
        known = ", ".join(one.name for one in installed_hosts() if not one.broken)
        line = f"{place} = {name!r}: no kind of host of that name; there are {known}"
        raise ConfigError(source, [about(place, line)])
    if offer.broken:
        line = f"{place}: the host {offer.words} cannot be used: {offer.broken}"
        raise ConfigError(source, [about(place, line)])
    return offer.value


def load_map(path: Path, overrides: Iterable[str] = ()) -> tuple[HostKind, Any]:
    """The kind and the settings of a map.

    Args:
        overrides: ``key=value`` texts laid over it.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    kind, settings = map_of(apply_overrides(read_toml(path), overrides), str(path))
    found = {
        name: str(find_file(getattr(settings, name), beside=path, folder="hosts", key=name))
        for name in kind.files
    }
    return kind, settings.model_copy(update=found)


def map_of(table: Mapping[str, Any], source: str) -> tuple[HostKind, Any]:
    """Like `load_map`, of a map that is already a table.

    Args:
        source: its file, for error texts.

    Raises:
        ConfigError: with the key path, the value and what would have been right.
    """
    name = table.get("kind")
    if not isinstance(name, str):
        line = "kind is left out; it names the wire that the map is for"
        raise ConfigError(source, [about("kind", line)])
    kind = host_kind(name, source)
    return kind, kind.settings().build(dict(table), source)


def _not_a_host(entry: EntryPoint, kind: object) -> str:
    if not isinstance(kind, HostKind):
        return f"{entry.value} is a {type(kind).__name__}; it must be a hil.hosts.kind.HostKind"
    if kind.name != entry.name:
        return f"{entry.value} calls itself {kind.name!r}; it must be {entry.name!r}"
    for name in ("settings", "codec"):
        if not callable(getattr(kind, name)):
            return f"its {name} is {getattr(kind, name)!r}, which cannot be called"
    try:
        model = kind.settings()
    except Exception as error:  # whatever a foreign package does
        return f"its settings raised {type(error).__name__}: {error}"
    if not (isinstance(model, type) and issubclass(model, MapSettings)):
        return f"its settings are {model!r}; they must be a hil.hosts.maps.MapSettings"
    return ""
