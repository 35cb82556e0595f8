"""Kinds of emulated simulators: their wires, versions and ports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sim.hosts.telemetry import Wire
from sim.hosts.wires import (
    beamng,
    flightgear,
    flightgear_generic,
    games,
    hcu1,
    jsbsim,
    pose_template,
    xplane,
)


@dataclass(frozen=True, slots=True)
class EmulatedKind:
    """One kind."""

    title: str
    port: int
    """UDP port it sends to by default."""
    make: Callable[..., Wire]
    """Of the version, the rate [Hz] and the wire's options."""
    versions: tuple[str, ...] = ("",)
    """Forms of the wire; the first one is taken if none is said."""
    options: frozenset[str] = frozenset()
    """What else may be said."""
    asked_on: int | None = None
    """UDP port it listens on for requests by default; None: it sends without being asked."""


def _hcu1(version: str, rate_hz: float, key: bytes = b"") -> Wire:
    del rate_hz
    if version == "json":
        if key:
            raise ValueError("key: only binary frames are signed; leave it out")
        return hcu1.Json()
    return hcu1.Binary(key)


def _pose(version: str, rate_hz: float, **options: Any) -> Wire:
    del rate_hz
    if version == "binary":
        options = {"template": pose_template.BINARY, "bits": 16, "binary": True} | options
    return pose_template.Template(**options)


def _generic(version: str, rate_hz: float, protocol: str = "") -> Wire:
    del rate_hz
    return flightgear_generic.Generic(protocol or flightgear_generic.shipped(version))


def _game(version: str, rate_hz: float, length: int | None = None) -> Wire:
    del rate_hz
    if not version:
        raise ValueError(f"version: which game sends such packets; one of {', '.join(games.GAMES)}")
    return games.game(version, length)


KINDS: Final = {
    "flightgear": EmulatedKind(
        "FlightGear, native FDM version 24", 5501, lambda version, rate_hz: flightgear.NativeFdm()
    ),
    "flightgear_generic": EmulatedKind(
        "FlightGear, generic protocol", 5502, _generic, ("binary", "ascii"),
        frozenset({"protocol"}),
    ),
    "xplane_rref": EmulatedKind(
        "X-Plane, data references on request", 49_010,
        lambda version, rate_hz, **more: xplane.References(version, rate_hz, **more),
        ("12", "11"), frozenset({"answers"}), asked_on=49_000,
    ),
    "xplane_data": EmulatedKind(
        "X-Plane, data output", 49_005, lambda version, rate_hz: xplane.Rows(version), ("12", "11"),
        asked_on=49_000,
    ),
    "beamng": EmulatedKind(
        "BeamNG, MotionSim and OutGauge", 4444,
        lambda version, rate_hz, gauge=True: beamng.MotionSim(gauge), options=frozenset({"gauge"}),
    ),
    "hcu1": EmulatedKind(
        "the bench's own frame HCU1", 47_111, _hcu1, ("binary", "json"), frozenset({"key"})
    ),
    "jsbsim": EmulatedKind(
        "JSBSim, socket output", 1138,
        lambda version, rate_hz, directive="": jsbsim.SocketLines(directive),
        options=frozenset({"directive"}),
    ),
    "pose_template": EmulatedKind(
        "SimTools, FlyPT Mover: poses by a template", 4123, _pose, ("text", "binary"),
        frozenset({"template", "bits", "spans", "binary"}),
    ),
    "layout": EmulatedKind(
        "a game, by its layout", 20_777, _game, ("", *games.GAMES), frozenset({"length"}),
    ),
}  # fmt: skip
"""Name → kind."""


def find_simulator_kind(kind: str, kinds: Mapping[str, EmulatedKind] = KINDS) -> EmulatedKind:
    """Return a kind by its name; raises ValueError with the names there are."""
    if kind not in kinds:
        raise ValueError(f"host kind {kind!r}: one of {', '.join(kinds)}")
    return kinds[kind]


def wire_of(
    kind: str,
    version: str,
    rate_hz: float,
    kinds: Mapping[str, EmulatedKind] = KINDS,
    **options: Any,
) -> Wire:
    """Return the wire of a kind; raises ValueError for what it does not have."""
    found = find_simulator_kind(kind, kinds)
    chosen = version or found.versions[0]
    if chosen not in found.versions:
        known = ", ".join(name for name in found.versions if name) or "it has none"
        raise ValueError(f"version {version!r} of {kind}: {known}")
    for name in options:
        if name not in found.options:
            known = ", ".join(sorted(found.options)) or "it has none"
            raise ValueError(f"option {name!r} of {kind}: {known}")
    return found.make(chosen, rate_hz, **options)
