"""Set one CANopen drive up over SDO: who it is, what it holds, what it sends and expects.

Every value is read back after it was written, because a drive may round, clamp or forget it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.bank import DriveSetupError
from drives.canopen_objects import Parameter, motion_parameters, watchdog_parameters
from drives.canopen_pdo import INVALID, NO_REMOTE, PdoLayout, layouts, unused
from drives.canopen_service import ServiceNode
from drives.canopen_settings import CanopenSettings
from drives.cia402 import OperationMode
from drives.scaling import LegScale

PROFILE = 402
"""Device profile that 1000h tells in its low word."""
EMULATED_NAME = "HIL emulated drive"
"""How 1008h of the bench's own emulated drives begins, whose vendor id 1018h:1 is 0."""
ABSENT = (0x06020000, 0x06090011)
"""Abort codes of CiA 301: object, or sub-index, does not exist."""
SCALE_TOLERANCE = 1e-3
"""Relative difference up to which a drive's own scale agrees with the rig's."""
_COB_ID_BITS = 0x1FFFFFFF


@dataclass(slots=True)
class NodeIdentity:
    """What a drive says it is.

    Attributes:
        node: Its id.
        name: 1008h, empty if it has none.
        vendor: 1018h:1.
        product: 1018h:2.
        serial: 1018h:4.
        inputs: 60FDh, read before the drive is started; None if it does not tell.
        lacking: Places of the optional objects that it does not have.
    """

    node: int
    name: str = ""
    vendor: int = 0
    product: int = 0
    serial: int = 0
    inputs: int | None = None
    lacking: list[str] = field(default_factory=list[str])

    @property
    def who(self) -> str:
        """Vendor, product and serial number, as the drive tells them."""
        return f"vendor {self.vendor}, product {self.product}, serial {self.serial}"

    @property
    def simulated(self) -> bool:
        """Whether the device itself says that it is an emulated one."""
        return self.vendor == 0 and self.name.startswith(EMULATED_NAME)


class NodeSetup:
    """Sets one drive up.

    Args:
        node: The drive.
        leg: Index of the leg, from 0.
        settings: The drives and their bus.
        scale: Scale of the leg.
        period_s: Bus cycle [s].
    """

    def __init__(
        self,
        node: ServiceNode,
        leg: int,
        settings: CanopenSettings,
        scale: LegScale,
        period_s: float,
    ) -> None:
        self._node = node
        self._leg = leg
        self._settings = settings
        self._scale = scale
        self._period_s = period_s
        self._place = f"leg {leg + 1} (node {node.number})"
        self.identity = NodeIdentity(node.number)

    def identify(self) -> NodeIdentity:
        """Find out who answers, and refuse a stranger.

        Raises:
            DriveSetupError: If it is no drive, or another one than the rig says.
        """
        identity, settings, leg = self.identity, self._settings, self._leg
        profile = self._read_u32(0x1000) & 0xFFFF
        if profile != PROFILE:
            self._refuse(f"device profile (1000h) is {profile}, a drive's is {PROFILE}")
        identity.vendor = self._read_u32(0x1018, 1)
        identity.product = self._read_u32(0x1018, 2, needed=False)
        identity.serial = self._read_u32(0x1018, 4, needed=False)
        raw = self._upload(0x1008, 0, needed=False)
        identity.name = "" if raw is None else raw.rstrip(b"\0").decode("ascii", "replace")
        for what, found, wanted in (
            ("vendor id (1018h:1)", identity.vendor, settings.vendor_ids[leg]),
            ("product code (1018h:2)", identity.product, settings.product_codes[leg]),
            ("serial number (1018h:4)", identity.serial, settings.serial_numbers[leg]),
        ):
            if wanted is not None and found != wanted:
                self._refuse(f"{what} is {found}, the rig has {wanted} at this leg")
        self._check_modes()
        self._check_scale()
        return identity

    def parameters(self) -> None:
        """Write parameters and PDOs, read them and the inputs; the drive must be pre-operational.

        Raises:
            DriveSetupError: If something reads back differently, or is refused.
        """
        # The heartbeat that an earlier session expects of us must not run out meanwhile.
        self._write(Parameter(0x1016, 1, "u32", 0, "heartbeat expected of the bench"))
        self._write_all(motion_parameters(self._settings, self._scale, self._leg, self._period_s))
        for name, parameter in unused(self._settings):
            self._silence(name, parameter)
        for pdo in layouts(self._settings):
            self._map(pdo)
        self._write_all(watchdog_parameters(self._settings))
        # An emergency stop that is wired to an input must be known in the very first cycle; the
        # TPDO of the inputs comes on change, or later.
        raw = self._upload(0x60FD, 0, needed=False)
        self.identity.inputs = None if raw is None else int.from_bytes(raw[:4], "little")

    def describe(self) -> str:
        """Return a line of text about what the drive is and now holds."""
        it, scale = self.identity, self._scale
        text = (
            f"leg {self._leg + 1}: node {it.node} {it.name or 'drive'}, {it.who}, "
            f"{scale.counts_per_m:g} counts/m, "
            f"sign {scale.sign:+d}, mode {self._settings.mode}"
        )
        return f"{text}, without {', '.join(it.lacking)}" if it.lacking else text

    def _check_modes(self) -> None:
        supported = self._read_u32(0x6502)
        for mode in (OperationMode.HOMING.value, self._settings.mode):
            if not supported >> (mode - 1) & 1:
                has = [number for number in range(1, 33) if supported >> (number - 1) & 1]
                self._refuse(f"mode {mode} is not among its modes {has} (6502h)")

    def _check_scale(self) -> None:
        """Compare the drive's own scale with the rig's, as far as the drive tells it.

        608Fh: increments per motor revolution; 6091h: motor per shaft revolutions; 6092h: feed per
        shaft revolution (CiA 402-2, position scaling). Where both outer ones are 1 the drive tells
        no scale, and a wrong one of the rig would be noticed by nobody: that is refused too,
        unless the settings say that the scale was measured by other means.
        """
        unit_m = self._settings.feed_unit_m
        increments, gear, feed = (self._ratio(index) for index in (0x608F, 0x6091, 0x6092))
        if increments is None or feed is None or increments == feed == 1.0:
            self.identity.lacking.append("a scale of its own (608Fh, 6092h)")
            if unit_m is not None:
                self._refuse(
                    "it tells no scale of its own (608Fh, 6092h), so that of the rig, "
                    f"{self._scale.counts_per_m:g} counts/m, cannot be checked: measure a leg's "
                    "way with a ruler, then set drives.canopen.scale_told = false"
                )
            return
        if unit_m is None:
            return
        told = increments * (1.0 if gear is None else gear) / (feed * unit_m)
        wanted = self._scale.counts_per_m
        if abs(told - wanted) > SCALE_TOLERANCE * wanted:
            self._refuse(
                f"its own scale (608Fh, 6091h, 6092h) is {told:g} counts/m, "
                f"the rig has {wanted:g} counts/m"
            )

    def _ratio(self, index: int) -> float | None:
        above = self._read_u32(index, 1, needed=False)
        below = self._read_u32(index, 2, needed=False)
        return above / below if above and below else None

    def _map(self, pdo: PdoLayout) -> None:
        """Map a PDO by the procedure of CiA 301: off, empty, entries, count, type, on."""
        name = pdo.name
        cob_id = pdo.cob_base + self._node.number
        flags = 0 if pdo.received else NO_REMOTE
        self._write(Parameter(pdo.parameter, 1, "u32", INVALID | flags | cob_id, f"{name} off"))
        self._write(Parameter(pdo.mapping, 0, "u8", 0, f"{name} emptied"))
        for sub, entry in enumerate(pdo.entries, start=1):
            self._write(Parameter(pdo.mapping, sub, "u32", entry.word, f"{name} entry {sub}"))
        self._write(Parameter(pdo.mapping, 0, "u8", len(pdo.entries), f"{name} entries"))
        self._write(Parameter(pdo.parameter, 2, "u8", pdo.transmission, f"{name} transmission"))
        if pdo.event_ms:
            what = f"{name} event timer [ms]"
            self._write(Parameter(pdo.parameter, 5, "u16", pdo.event_ms, what))
        self._write(Parameter(pdo.parameter, 1, "u32", flags | cob_id, f"{name} on"))

    def _silence(self, name: str, parameter: int) -> None:
        raw = self._upload(parameter, 1, needed=False)
        if raw is None:
            return
        cob_id = int.from_bytes(raw[:4], "little")
        if not cob_id & INVALID:
            self._write(Parameter(parameter, 1, "u32", cob_id | INVALID, f"{name} off"))

    def _write_all(self, parameters: Iterable[Parameter]) -> None:
        for parameter in parameters:
            self._write(parameter)

    def _write(self, parameter: Parameter) -> None:
        try:
            self._node.write(parameter.index, parameter.sub, parameter.encode())
            held = parameter.decode(self._node.read(parameter.index, parameter.sub))
        except SdoAbortedError as error:
            if error.code in ABSENT and not parameter.required:
                self.identity.lacking.append(f"{parameter.meaning} ({parameter.place})")
                return
            what = f"{parameter.meaning} ({parameter.place}) of {parameter.value}"
            raise DriveSetupError(f"{self._place}: {what} is refused: {error}") from error
        except SdoCommunicationError as error:
            text = f"{self._place}: {parameter.meaning} ({parameter.place}): {error}"
            raise DriveSetupError(text) from error
        except DriveSetupError as error:
            raise DriveSetupError(f"{self._place}: {error}") from error
        if held != parameter.value and not _same_cob_id(parameter, held):
            self._refuse(
                f"{parameter.meaning} ({parameter.place}) was written as {parameter.value} "
                f"(0x{parameter.value & 0xFFFFFFFF:X}) and reads back as {held} "
                f"(0x{held & 0xFFFFFFFF:X})"
            )

    def _upload(self, index: int, sub: int, *, needed: bool) -> bytes | None:
        try:
            return self._node.read(index, sub)
        except SdoAbortedError as error:
            if error.code in ABSENT and not needed:
                return None
            raise DriveSetupError(f"{self._place}: {index:04X}h:{sub}: {error}") from error
        except SdoCommunicationError as error:
            raise DriveSetupError(f"{self._place}: {index:04X}h:{sub}: {error}") from error

    def _read_u32(self, index: int, sub: int = 0, *, needed: bool = True) -> int:
        raw = self._upload(index, sub, needed=needed)
        return 0 if raw is None else int.from_bytes(raw[:4], "little")

    def _refuse(self, text: str) -> None:
        raise DriveSetupError(f"{self._place}: {text}")


def _same_cob_id(parameter: Parameter, held: int) -> bool:
    """Say whether two COB-IDs of PDOs mean the same; a drive may own the remote bit."""
    pdo = 0x1400 <= parameter.index < 0x1C00 and not parameter.index & 0x200 and parameter.sub == 1
    mask = INVALID | _COB_ID_BITS
    return pdo and held & mask == parameter.value & mask
