"""The ``[drives]`` table of a rig: URL, type, scale and supervision of its real drives.

Everything has a default but what only the machine's builder can know; a rig without this table has
simulated cylinders only.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from drives.axes.cia402 import PLACING_METHODS
from hil.config.fields import (
    Acceleration,
    LegAccelerations,
    LegForces,
    LegLengths,
    LegPositives,
    Length,
    per_leg,
)
from hil.config.settings import Settings

Node = Annotated[int, Field(ge=1, le=126)]
Sign = Literal[-1, 1]
Serial = Annotated[int, Field(ge=0, le=2**32 - 1)]
Share = Annotated[float, Field(gt=0.0, le=0.95)]
WatchdogSeconds = Annotated[float, Field(ge=0.005, le=0.05)]


def _finds_a_place(method: int) -> int:
    if method not in PLACING_METHODS:
        raise ValueError(
            f"method {method} takes the place where a rod happens to stand for its reference, or "
            "is a maker's own: 1 to 14, 17 to 30, 33 and 34 find one; drives with absolute "
            'encoders need homing = "absolute"'
        )
    return method


class CanopenTable(Settings):
    """CANopen drives (CiA 301, CiA 402)."""

    node_ids: tuple[Node, Node, Node, Node, Node, Node] = (1, 2, 3, 4, 5, 6)
    """Node ids of legs 1 to 6."""
    bus_of_leg: tuple[int, int, int, int, int, int] | None = None
    """Bus of each leg, 0 or 1. Left out: all on the one bus; with two buses legs 1-3 and 4-6."""
    bitrate: Literal[125_000, 250_000, 500_000, 800_000, 1_000_000] = 1_000_000
    """Bit rate of the bus [bit/s]."""
    velocity_every: Annotated[int, Field(ge=1, le=240)] = 4
    """Number of SYNCs between two frames of speed and force."""
    speed_feed_forward: bool = False
    """Send the speeds too (60B1h): six more frames a cycle."""
    bus_load_max: Share = 0.7
    """Worst-case load of the bus by the cycle; the rest is for SDO, heartbeat and EMCY."""
    scale_told: bool = True
    """The drives report their scale (608Fh, 6091h, 6092h); another one than the rig's is refused.

    False for drives that report none, once a leg's travel was measured with a ruler.
    """
    way_per_turn_m: LegLengths | None = None
    """Travel of the rod per motor turn [m]: lead of the screw over the gear. Needed where the
    drives count speeds in turns and do not report their encoder (608Fh)."""
    vendor_id: Serial | None = None
    """Vendor of all six drives (1018h:1); given, a drive of another maker is refused."""
    product_code: Serial | None = None
    """Product of all six drives (1018h:2); given, another product is refused."""

    @model_validator(mode="after")
    def _nodes_differ(self) -> "CanopenTable":
        if len(set(zip(self.bus_of_leg or (0,) * 6, self.node_ids, strict=True))) < 6:
            raise ValueError(f"node_ids {self.node_ids}: each leg needs a node of its own")
        return self


class RigDrives(Settings):
    """Real drives of a rig."""

    url: str = "sim:"
    """URL of the drives; two CAN buses are two URLs with a space between them."""
    type: str | None = None
    """Type of the drives: a drive file, or the name of one in ``configs/drives``.

    Left out, CANopen drives are taken to be as CiA 402 has them, Modbus ones to be ``hil_rack``.
    """
    counts_per_m: LegPositives = (1e6, 1e6, 1e6, 1e6, 1e6, 1e6)
    """Position counts of the drive per metre of rod."""
    sign: Annotated[
        tuple[Sign, Sign, Sign, Sign, Sign, Sign],
        BeforeValidator(per_leg),
    ] = (1, 1, 1, 1, 1, 1)
    """1 if the counts grow when the rod extends, else -1."""
    mode: Literal["csp", "ip"] = "csp"
    """Cyclic synchronous position (8) or interpolated position (7)."""
    serial_numbers: tuple[Serial, Serial, Serial, Serial, Serial, Serial] | None = None
    """Serial numbers of the drives of legs 1 to 6; given, a drive in another's place is refused."""
    rated_force_n: LegForces | None = None
    """Force at rated torque (6077h is per mille of it); the cylinder's largest if left out."""
    following_window_m: Length = 0.02
    """Following error at which a drive itself trips (6065h): wider than the gate's own window."""
    following_time_s: Annotated[float, Field(gt=0.0, le=1.0)] = 0.02
    """Least duration of a following error outside the window (6066h) [s]."""
    quick_stop_deceleration_m_s2: LegAccelerations | None = None
    """Deceleration of the drives' ramp (6085h); ``limits.stop_deceleration_m_s2`` if left out."""
    homing: Literal["switch", "absolute"] = "switch"
    """Source of a leg's position: the drive's homing at each start, or absolute
    encoders, whose place was measured once (`hil drives reference`); then nothing moves for it."""
    place_tolerance_m: Annotated[float, Field(gt=0.0, le=0.01)] = 0.001
    """Largest displacement of a leg with an absolute encoder since it was left [m]."""
    homing_method: Annotated[int, AfterValidator(_finds_a_place)] = 21
    """Homing method (6098h); 21 is the negative home switch, its edge facing outside (CiA 402)."""
    first_motion: Literal["real", "always"] = "real"
    """Drives that begin the first homing of a session with 0.2 mm at 0.1 mm/s and 2 mm at 1 mm/s,
    their travel judged against time: those that do not identify as emulated, or all."""
    homing_acceleration_m_s2: Acceleration = 0.2
    """Acceleration of the drives' own homing (609Ah) [m/s²]."""
    watchdog_s: WatchdogSeconds = 0.05
    """Silence after which a drive stops by itself."""
    canopen: CanopenTable = CanopenTable()
    """Nodes, scale and bus of CANopen drives."""

    @model_validator(mode="before")
    @classmethod
    def _type_was_a_map(cls, table: Any) -> Any:
        if isinstance(table, dict) and "modbus" in table:
            raise ValueError("modbus.map is now type, beside url")
        return table
