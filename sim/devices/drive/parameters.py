"""Parameters of an emulated drive, in the units of its objects, with what each node starts with.

Positions are counts, speeds counts/s, accelerations counts/s^2. The names are those of CiA 402-2;
the object of each stands beside it. `NodeSettings` and `RackSettings` describe six drives in SI.

Not modelled: storing parameters (1010h); unit factors (608Fh, 6091h, 6092h, 6096h) tell the scale
and do not change it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from sim.devices.drive.drive_type import DriveType
from sim.devices.drive.maker_types import EMULATED
from sim.devices.drive.rods import PlantError, RodSettings
from sim.devices.drive.servo import ServoGains

_POWER_OF_TEN = {exponent: 10.0**exponent for exponent in range(-128, 1)}
NODES = 6
"""Number of drives of a rack."""


@dataclass(slots=True)
class DriveParameters:
    """What a master writes into a drive, with the emulated drive's defaults.

    The option codes are numbered as in CiA 402-2, clause "Option codes".
    """

    abort_connection_option: int = 1  # 6007h: 0 none, 1 fault, 2 disable voltage, 3 quick stop
    quick_stop_option: int = 2  # 605Ah: 0 off, 1..4 ramp then off, 5..8 ramp then hold
    shutdown_option: int = 0  # 605Bh: 0 off at once, 1 slow down first
    disable_operation_option: int = 1  # 605Ch: 0 off at once, 1 slow down first
    halt_option: int = 1  # 605Dh: 1 slow-down ramp, 2 quick-stop ramp, 3 and 4 hardest
    fault_reaction_option: int = 2  # 605Eh: 0 off at once, 1 slow down, 2 quick stop, 3, 4 hardest
    following_error_window: int = 20_000  # 6065h; FFFFFFFFh = not supervised
    following_error_timeout_ms: int = 20  # 6066h
    position_window: int = 1_000  # 6067h
    position_window_time_ms: int = 0  # 6068h
    home_offset: int = 0  # 607Ch
    software_limit_min: int = -(2**31)  # 607Dh sub 1
    software_limit_max: int = 2**31 - 1  # 607Dh sub 2
    max_profile_velocity: int = 600_000  # 607Fh
    profile_velocity: int = 100_000  # 6081h
    profile_acceleration: int = 1_000_000  # 6083h
    profile_deceleration: int = 1_000_000  # 6084h
    quick_stop_deceleration: int = 8_000_000  # 6085h
    homing_method: int = 21  # 6098h
    homing_speed_switch: int = 20_000  # 6099h sub 1
    homing_speed_zero: int = 5_000  # 6099h sub 2
    homing_acceleration: int = 200_000  # 609Ah
    interpolation_units: int = 4  # 60C2h sub 1
    interpolation_index: int = -3  # 60C2h sub 2, power of ten of a second
    max_acceleration: int = 8_000_000  # 60C5h
    max_deceleration: int = 8_000_000  # 60C6h

    @property
    def interpolation_period_s(self) -> float:
        """Interpolation time period 60C2h [s]; 0 when none is set."""
        return self.interpolation_units * _POWER_OF_TEN.get(self.interpolation_index, 0.0)


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """One drive of the rack.

    Raises:
        PlantError: If a value is outside its range.
    """

    node_id: int
    """CANopen node id or Modbus axis number, 1 to 127."""
    serial: int
    """Serial number (1018h sub 4)."""
    counts_per_m: float = 1e6
    """Position counts per metre of rod, above 0."""
    sign: int = 1
    """1 if the counts grow when the rod extends, else -1 (as polarity 607Eh does)."""
    motor: int = 0
    """Index of the rod that this drive's motor moves, 0 to 5."""
    encoder: int = 0
    """Index of the rod whose encoder and switches this drive reads, 0 to 5."""
    absolute_zero_m: float | None = None
    """Extension at which an absolute encoder tells 0 [m]; None for an incremental one, which wakes
    up with any count."""
    rod: RodSettings = field(default_factory=RodSettings)
    """Constants of the rod with this drive's own number, and of its position loop."""
    type: DriveType = EMULATED
    """Which objects it has, in which units."""

    def __post_init__(self) -> None:
        if not 1 <= self.node_id <= 127:
            raise PlantError(f"node_id = {self.node_id}: CiA 301 has 1 to 127")
        if not (math.isfinite(self.counts_per_m) and self.counts_per_m > 0.0):
            raise PlantError(f"counts_per_m = {self.counts_per_m!r}: it must be above 0")
        if self.sign not in (-1, 1):
            raise PlantError(f"sign = {self.sign}: 1 or -1 is needed")
        for name in ("motor", "encoder"):
            if not 0 <= getattr(self, name) < NODES:
                raise PlantError(f"{name} = {getattr(self, name)}: a rod 0 to {NODES - 1}")


def default_nodes() -> tuple[NodeSettings, ...]:
    """Return six ordinary drives, node ids 1 to 6, serial numbers 1001 to 1006."""
    return tuple(
        NodeSettings(node_id=k + 1, serial=1001 + k, motor=k, encoder=k) for k in range(NODES)
    )


@dataclass(frozen=True, slots=True)
class RackSettings:
    """Six drives on one wire.

    Raises:
        PlantError: If there are not six nodes with ids of their own, or a value makes no sense.
    """

    nodes: tuple[NodeSettings, ...] = field(default_factory=default_nodes)
    """The six drives."""
    bitrate: int | None = 1_000_000
    """Of the CAN bus [bit/s]; None for frames that take no time at all."""
    start_spread_m: float = 0.01
    """Each rod stands up to this far from its start when the power comes [m]."""
    boot_time_s: float = 0.05
    """From power or reset to the boot-up message of CANopen [s]."""
    buses: tuple[int, ...] = (0,) * NODES
    """Number of the bus that each drive is on, 0 or 1, 6."""

    gains: ServoGains = field(default_factory=ServoGains)
    """Of the six servos behind a plant; rods by themselves have the loop of their settings."""

    def __post_init__(self) -> None:
        ids = [node.node_id for node in self.nodes]
        if len(ids) != NODES or len(set(ids)) != NODES:
            raise PlantError(f"node ids {ids}: {NODES} different ones are needed")
        if self.bitrate is not None and not 10_000 <= self.bitrate <= 1_000_000:
            raise PlantError(f"bitrate = {self.bitrate} bit/s: 10000 to 1000000, or None")
        for name in ("start_spread_m", "boot_time_s"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise PlantError(f"{name} = {value!r}: a finite number >= 0 is needed")
        if len(self.buses) != NODES or not set(self.buses) <= {0, 1}:
            raise PlantError(f"buses = {self.buses}: {NODES} numbers, each 0 or 1, are needed")

    @property
    def bus_count(self) -> int:
        """How many buses there are, 1 or 2."""
        return max(self.buses) + 1
