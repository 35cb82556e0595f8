"""What a drive bus is to the bench: its URLs and its table, its fit to a rig, its emulated drives.

A distribution offers one under the entry points `hil.buses`, and its bank under `hil.banks`, both
by the scheme of its URLs. CANopen and Modbus of the bench are registered in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, TextIO

from hil.machines.rig.buses import DriveBus, bus_of
from hil.machines.rig.settings import Rig

WATCHDOG_CYCLES: Final = 3.0
"""Cycles that the drives' watchdog lasts at least, on a line too slow for less."""
RACK_OPTIONS: Final = ("--type", "--world", "--script", "--pty", "--buses")
"""Options of `hil drives rack` that some emulated drives have no use for."""

Serve = Callable[[Callable[[], float], Callable[[], bool]], None]
"""Serves emulated drives by a monotonic clock [s], until a function says that it is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Emulation:
    """What emulated drives shall be, as `hil drives rack` was asked."""

    rig: Rig
    """The rig whose drives are emulated."""
    protocol: str
    """Protocol of the bus that is emulated."""
    ready: Callable[[str], None]
    """Callback that takes the URL, once the drives can be reached."""
    say: Callable[[str], None]
    """Shows a line to a person."""
    console: TextIO
    """Where faults are typed; for drives that take ``--script``."""
    end_with_input: bool = False
    """Whether the end of the console is the end; for them too, others are stopped then."""
    port: int = 0
    """TCP port; 0 takes a free one."""
    any_user: bool = False
    """Whether other users of the computer may connect."""
    seed: int = 0
    """Seed of the places where the rods stand at first."""
    paced: bool = True
    """Whether frames take their time on the wire."""
    kind: str = ""
    """Type of the drives; empty for the first that the bench has."""
    world: str = ""
    """Scene on the rods; empty for none."""
    script: Path | None = None
    """File of faults with their times, or None."""
    pty: bool = False
    """Whether a pseudo-terminal takes the place of TCP."""
    buses: int = 1
    """Number of buses."""
    baud: int = 115_200
    """Speed of a serial line [Bd]."""
    rate_hz: float = 1.0 / 0.06
    """Rate that drives without a register for the bus cycle have stored [Hz]."""

    def script_text(self) -> str:
        """Return the text of the script; empty without one."""
        return "" if self.script is None else self.script.read_text(encoding="utf-8-sig")


@dataclass(frozen=True, slots=True, kw_only=True)
class BusOrder:
    """For which rig and cycle a bus of ours describes its drives."""

    rig: Rig
    """The rig whose drives are described."""
    rig_file: Path
    """File of the rig."""
    url: str
    """URL of the drives."""
    watchdog_s: float
    """Silence after which the drives stop by themselves [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BusKind(DriveBus):
    """A kind of drive bus, as its entry point gives it."""

    emulate: Callable[[Emulation], Serve] | None = None
    """Checks what is asked for, and returns what serves six emulated drives; None: nobody emulates
    them. Raises `ConfigError` or `ValueError` for what cannot be, `OSError` for a port."""
    emulation_options: tuple[str, ...] = ()
    """Options of `RACK_OPTIONS` that its emulated drives take."""
    fit: Callable[[Rig, Path, bool], Rig] | None = None
    """Returns a rig as its drives need it: of the rig, its file, and whether the count of a drive
    goes round in the stroke of its leg. None: drives with limits of their own."""
    describe: Callable[[BusOrder], dict[str, Any]] | None = None
    """Describes the drives to a bank of ours; None: the bank takes a `BankOrder`."""
    watchdog_cycles: float = WATCHDOG_CYCLES
    """Cycles that the watchdog of its drives lasts at least."""


def bus_kind(url: str) -> BusKind:
    """Return the kind of bus of the drives at a URL; raises as `bus_of`."""
    return as_kind(bus_of(url))


def as_kind(bus: DriveBus) -> BusKind:
    """Return a bus as a kind: one that says no more than URLs need has no more."""
    if isinstance(bus, BusKind):
        return bus
    return BusKind(**{one.name: getattr(bus, one.name) for one in fields(bus)})
