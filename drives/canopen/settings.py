"""Settings of a CANopen bank, of its drives and of its bus, as values that travel as JSON."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, cast

from drives.axes.first_motion import FIRST_MOTIONS
from drives.axes.sequence import WORK_MODES
from drives.bank import DriveModelError, DriveSetupError
from drives.types.drive_type import CIA_402, DriveType, drive_type_from
from hil_common.legs import LEG_COUNT, SixBools, SixFloats, SixInts

WATCHDOG_MAX_S = 0.05
"""Longest silence of the master that a drive may tolerate [s]."""
WATCHDOG_CYCLES = 3
"""Cycles that fit at least into that silence: one may be lost and the next one late."""
BOOT_MAX_S = 60.0
"""Longest time that a drive may take to boot [s]."""
BITRATES = (10_000, 20_000, 50_000, 125_000, 250_000, 500_000, 800_000, 1_000_000)
"""Bitrates of CiA 301, table "Recommended bit timing" [bit/s]."""

SixOrNone = tuple[int | None, int | None, int | None, int | None, int | None, int | None]

_POSITIVE = ("_s", "_m", "_m_s2", "_n", "_max", "_share")
_NONE: SixOrNone = (None, None, None, None, None, None)


@dataclass(frozen=True, slots=True)
class CanopenSettings:
    """Six CANopen drives.

    Raises:
        DriveModelError: With name, leg, value and what would have been right.
    """

    length_min_m: SixFloats
    """Software limit of each leg, inner end [m], 6."""
    length_max_m: SixFloats
    """Software limit of each leg, outer end [m], 6."""
    speed_max_m_s: SixFloats
    """Largest speed of each leg [m/s], 6."""
    acceleration_max_m_s2: SixFloats
    """Largest acceleration of each leg [m/s²], 6."""
    quick_stop_deceleration_m_s2: SixFloats
    """Deceleration of a quick stop of each leg [m/s²], 6."""
    rated_force_n: SixFloats
    """Force of each drive at its rated torque [N], 6; 6077h is per mille of it."""
    node_ids: SixInts = (1, 2, 3, 4, 5, 6)
    """Node of each leg, 1 to 126, 6."""
    bus_of_leg: SixInts = (0, 0, 0, 0, 0, 0)
    """Bus of each leg, counted from 0, 6."""
    bitrate: int = 1_000_000
    """Bitrate of every bus [bit/s]."""
    master_id: int = 127
    """Node that the bench is."""
    mode: int = 8
    """Mode of operation in which the drives follow: 8 (csp) or 7 (ip)."""
    heartbeat_producer_s: float = 0.02
    """Period of a drive's heartbeat, 1017h [s]."""
    master_heartbeat_every_s: float = 0.02
    """Period of the bench's heartbeat [s]."""
    consumer_heartbeat_s: float = 0.05
    """Silence of the bench that stops a drive, 1016h:1 [s]."""
    rpdo_timeout_s: float = 0.05
    """Missing setpoints that stop a drive, 1400h:5 [s]."""
    following_window_m: float = 0.02
    """Following error at which a drive stops by itself, 6065h [m]."""
    following_time_s: float = 0.02
    """Least duration of that, 6066h [s]."""
    homing_method: int = 21
    """6098h."""
    homing_speed_m_s: float = 0.02
    """Speed towards the reference switch, 6099h:1 [m/s]."""
    homing_zero_speed_m_s: float = 0.005
    """Speed of the search for its edge, 6099h:2 [m/s]."""
    homing_acceleration_m_s2: float = 0.2
    """609Ah [m/s²]."""
    homing_timeout_s: float = 120.0
    """Longest time that homing may take [s]."""
    velocity_every: int = 4
    """Speed and force are sent with every nth SYNC, 1 to 240."""
    speed_feed_forward: bool = False
    """Send the speed of the setpoint too, 60B1h."""
    bus_load_max: float = 0.7
    """Share of a bus that the cycle may take, above 0 and below 1."""
    vendor_ids: SixOrNone = _NONE
    """1018h:1 of each drive, None where it is not checked, 6."""
    product_codes: SixOrNone = _NONE
    """1018h:2, likewise."""
    serial_numbers: SixOrNone = _NONE
    """1018h:4, likewise."""
    scale_told: bool = True
    """Whether the drives give a scale that has to be the rig's (608Fh to 6092h); False once a
    person has measured a leg's way."""
    way_per_turn_m: SixFloats | None = None
    """Way of the rod per turn of the motor [m], 6; None if the rig does not say."""
    type: DriveType = CIA_402
    """Type of the drives: what they have, lack, call otherwise and count in."""
    absolute: bool = False
    """The encoders are absolute: there is no homing, the places are known otherwise."""
    first_motion: str = "real"
    """Which drives begin with the slow stages of a first motion: "always", or "real" with drives
    that do not say themselves that they are emulated."""
    boot_timeout_s: float = 15.0
    """Time for all drives to answer, from the start of configure() [s]. Drives whose self-test
    takes long need it; nobody waits for those that answer at once."""
    remote_bit: bool = True
    """A drive is commanded only if its statusword has bit 9, remote. False for types that never
    set it."""
    follows_bit: bool = True
    """A drive that follows the command says so in bit 12 of its statusword. False for types that
    do not: its mode display and the following error have to do then."""
    fault_exit: tuple[tuple[int, int, str, int], ...] = ()
    """What a type needs to leave a fault besides bit 7 of the controlword: index, sub-index, type
    and value of each object to be written, in order."""
    estop_inputs: SixBools = (False, False, False, False, False, False)
    """Whether a channel of the emergency stop is wired to the inputs of the leg's drive, 6; such a
    drive is refused if it reports no inputs."""
    answer_share: float = 0.8
    """Share of the period in which the answers of a cycle are awaited. A bus may be busy for
    `bus_load_max` of it, so it has to be more than that by what adapter and computer take: 0.8
    leaves 0.4 ms at 250 Hz. What is left of the period is control's; it is that little in a cycle
    whose answers are missing only, since a wait that is answered ends at once."""

    def __post_init__(self) -> None:
        """Refuse what no drive and no bus could have."""
        for field in fields(self):
            if field.name != "fault_exit":
                self._check_shape(field.name)
        self._check_nodes()
        self._check_choices()
        self._check_times()
        for leg, (low, high) in enumerate(zip(self.length_min_m, self.length_max_m, strict=True)):
            if not low < high:
                text = f"leg {leg + 1}: length_min_m {low} m is not below length_max_m {high} m"
                raise DriveModelError(text)

    @property
    def buses(self) -> int:
        """Number of buses."""
        return max(self.bus_of_leg) + 1

    def first_motion_due(self, *, simulated: bool) -> bool:
        """Say whether the drives begin with the stages of a first motion.

        Args:
            simulated: The drives say themselves that they are emulated.
        """
        return self.first_motion == "always" or not simulated

    def to_json(self) -> str:
        """Return the settings as JSON text that `from_json` understands."""
        return json.dumps(asdict(self), sort_keys=True)

    def _check_shape(self, name: str) -> None:
        value = getattr(self, name)
        positive = name.endswith(_POSITIVE)
        if isinstance(value, tuple):
            if len(value) != LEG_COUNT:
                raise DriveModelError(f"{name} holds {len(value)} values, one per leg: {LEG_COUNT}")
            for leg, each in enumerate(value, start=1):
                if positive and not (math.isfinite(each) and each > 0.0):
                    raise DriveModelError(f"leg {leg}: {name} is {each}, it must be positive")
        elif positive and value is not None and not (math.isfinite(value) and value > 0.0):
            raise DriveModelError(f"{name} is {value}, it must be positive")

    def _check_nodes(self) -> None:
        for leg, node in enumerate(self.node_ids, start=1):
            if not 1 <= node <= 126 or node == self.master_id:
                text = f"leg {leg}: node id {node}, it must be 1 to 126 and not {self.master_id}"
                raise DriveModelError(f"{text}, which is the bench")
        if len(set(zip(self.bus_of_leg, self.node_ids, strict=True))) < LEG_COUNT:
            raise DriveModelError(f"node_ids {self.node_ids}: each leg needs a node of its own")
        if set(self.bus_of_leg) != set(range(self.buses)):
            raise DriveModelError(f"bus_of_leg {self.bus_of_leg}: buses are counted from 0")

    def _check_choices(self) -> None:
        if self.mode not in WORK_MODES:
            raise DriveModelError(f"mode is {self.mode}, a drive follows in one of {WORK_MODES}")
        self.type.targets(self.mode)
        if self.first_motion not in FIRST_MOTIONS:
            text = f"first_motion is {self.first_motion!r}, one of {FIRST_MOTIONS} is needed"
            raise DriveModelError(text)
        if self.bitrate not in BITRATES:
            raise DriveModelError(f"bitrate is {self.bitrate} bit/s, one of {BITRATES} is needed")
        if not 1 <= self.master_id <= 127:
            raise DriveModelError(f"master_id is {self.master_id}, it must be 1 to 127")
        if not 1 <= self.velocity_every <= 240:
            raise DriveModelError(f"velocity_every is {self.velocity_every}, 1 to 240 is possible")
        for name in ("bus_load_max", "answer_share"):
            if not getattr(self, name) < 1.0:
                raise DriveModelError(f"{name} is {getattr(self, name)}, it must be below 1")

    def _check_times(self) -> None:
        for name in ("consumer_heartbeat_s", "rpdo_timeout_s"):
            value = getattr(self, name)
            if not 0.001 <= value <= WATCHDOG_MAX_S:
                text = f"{name} is {value} s, a drive must stop within {WATCHDOG_MAX_S} s"
                raise DriveModelError(f"{text} of silence, and counts in milliseconds")
        if self.boot_timeout_s > BOOT_MAX_S:
            text = f"boot_timeout_s is {self.boot_timeout_s} s"
            raise DriveModelError(f"{text}, a person waits for at most {BOOT_MAX_S:g} s")
        if not 2.0 * self.master_heartbeat_every_s <= self.consumer_heartbeat_s:
            text = f"master_heartbeat_every_s is {self.master_heartbeat_every_s} s"
            limit_s = self.consumer_heartbeat_s / 2
            raise DriveModelError(f"{text}: at most {limit_s} s lets one heartbeat be lost")


def from_json(text: str) -> CanopenSettings:
    """Return the settings that `CanopenSettings.to_json` wrote.

    Raises:
        DriveModelError: If the text holds anything else.
    """
    try:
        loaded: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DriveModelError(f"CANopen settings are no JSON: {error}") from error
    known = {field.name for field in fields(CanopenSettings)}
    if not isinstance(loaded, Mapping):
        raise DriveModelError(f"CANopen settings are no table of {sorted(known)}")
    table = cast(Mapping[str, Any], loaded)
    if unknown := sorted(set(table) - known):
        raise DriveModelError(f"CANopen settings hold {unknown}, known are {sorted(known)}")
    values: dict[str, Any] = {
        key: _as_tuple(v) if isinstance(v, list) else v for key, v in table.items()
    }
    try:
        if "type" in values:
            values["type"] = drive_type_from(values["type"])
        return CanopenSettings(**values)
    except TypeError as error:
        raise DriveModelError(f"CANopen settings: {error}") from error


def _as_tuple(values: list[Any]) -> tuple[Any, ...]:
    return tuple(_as_tuple(v) if isinstance(v, list) else v for v in values)


def check_watchdogs(settings: CanopenSettings, period_s: float, url: str) -> None:
    """Refuse a cycle so slow that one that is late could already stop the drives.

    Args:
        url: Where the buses are, for the text of the error.

    Raises:
        DriveSetupError: With both times and the rate that would do.
    """
    watchdog_s = min(settings.consumer_heartbeat_s, settings.rpdo_timeout_s)
    if watchdog_s < WATCHDOG_CYCLES * period_s * (1.0 - 1e-9):
        raise DriveSetupError(
            f"{url}: the drives stop after {watchdog_s:g} s without the bench "
            f"(consumer_heartbeat_s, rpdo_timeout_s), less than {WATCHDOG_CYCLES} cycles of "
            f"{period_s:g} s: at least {WATCHDOG_CYCLES / watchdog_s:g} Hz would do"
        )
