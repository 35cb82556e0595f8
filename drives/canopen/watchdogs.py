"""Watchdogs by which a drive stops when the bench falls silent: all it has, and at least one.

CiA 301: the event timer of an RPDO (1400h:5), the consumer heartbeat (1016h), and where there is
none life guarding (100Ch, 100Dh), whose answers are then the drive's own sign of life; heartbeat
and guarding never both. Further ones come from the drive file: a time-out of SYNC or of the
maker's, or the interpolation period (60C2h) of a drive that faults when setpoints stay away.
"""

from drives.bank import DriveSetupError
from drives.canopen.node import NodeAccess
from drives.canopen.objects import Parameter
from drives.canopen.settings import CanopenSettings
from drives.types.drive_type import Timer, place_of

KEEP_NMT_STATE = 1
"""1029h:1: a communication error stops the drive by 6007h but leaves it operational, so that its
stop can be watched and its fault acknowledged."""
LIFE_TIMES = 2
"""100Dh: guard times (100Ch) without a request of the bench after which a drive is alone."""


GUARDING = ((0x100D, "u8", "life time factor"), (0x100C, "u16", "guard time [ms]"))
"""Objects of life guarding; with one of them at 0 nobody is missed."""


class Watchdogs:
    """Chooses and sets the watchdogs of one drive."""

    def __init__(self, access: NodeAccess, settings: CanopenSettings, period_s: float) -> None:
        self._access, self._settings, self._period_s = access, settings, period_s
        self._consumes = False
        self.guarded = False
        """Whether the bench has to ask the drive for its sign of life (node guarding)."""
        self.used: list[str] = []
        """What stops the drive, with its time, in words."""

    def release(self) -> None:
        """Switch off what an earlier session may have left, before it runs out meanwhile."""
        access = self._access
        off = Parameter(0x1016, 1, "u32", 0, "heartbeat expected of the bench")
        self._consumes = access.type.has(0x1016, 1) and access.try_write(off) is not None
        for index, kind, what in GUARDING:
            if access.number(index):
                access.try_write(Parameter(index, 0, kind, 0, what))

    def take_event_timer(self, held_ms: int | None) -> None:
        """Take note of what the event timer of the RPDO holds [ms]; None if there is none."""
        if held_ms:
            self.used.append(f"setpoints 1400h:5 {held_ms} ms")

    def set(self) -> None:
        """Set what is left, last of all: from here on the drive expects the bench.

        Raises:
            DriveSetupError: If nothing would stop the drive, or a watchdog cannot be set.
        """
        keep = "its own, as after power-up; the test of the watchdogs shows what it does"
        self._access.write(Parameter(0x1029, 1, "u8", KEEP_NMT_STATE, "error behaviour", keep))
        if not self._heartbeat() and not self._life_guarding():
            self._produce()
        for timer in self._access.type.timers:
            self._timer(timer)
        cycles = self._access.type.interpolation_cycles
        if cycles and cycles * self._period_s <= self._settings.consumer_heartbeat_s:
            self.used.append(f"setpoints 60C2h {cycles} cycles")
        if not self.used:
            raise self._access.refuse(
                "nothing would stop it without the bench: it has no event timer of the RPDO "
                "(1400h:5), no consumer heartbeat (1016h), no life guarding (100Ch, 100Dh), and "
                "its drive file names no other time-out ([[timers]], interpolation_cycles)"
            )

    def _heartbeat(self) -> bool:
        if not self._consumes:
            return False
        self._produce()
        time_ms = round(self._settings.consumer_heartbeat_s * 1e3)
        held = self._access.write(
            Parameter(
                0x1016, 1, "u32", self._settings.master_id << 16 | time_ms,
                "heartbeat expected of the bench", less=self._shorter(time_ms),
            )
        )  # fmt: skip
        self.used.append(f"heartbeat 1016h {(held or 0) & 0xFFFF} ms")
        return True

    def _produce(self) -> None:
        time_ms = round(self._settings.heartbeat_producer_s * 1e3)
        self._access.write(Parameter(0x1017, 0, "u16", time_ms, "heartbeat [ms]", less=time_ms - 1))

    def _life_guarding(self) -> bool:
        access = self._access
        if not (access.type.has(0x100C, 0) and access.type.has(0x100D, 0)):
            return False
        if access.number(0x100C) is None or access.number(0x100D) is None:
            return False
        if not access.node.segment.can_ask:
            raise access.refuse(
                "it has no consumer heartbeat (1016h), and node guarding needs remote frames, "
                "which a socketcand link does not carry: slcan: or socketcan: would be right"
            )
        access.write(Parameter(0x1017, 0, "u16", 0, "heartbeat, off [ms]", "node guarding"))
        time_ms = int(self._settings.consumer_heartbeat_s * 1e3) // LIFE_TIMES
        held = access.write(
            Parameter(0x100C, 0, "u16", time_ms, "guard time [ms]", less=self._shorter(time_ms))
        )
        access.write(Parameter(0x100D, 0, "u8", LIFE_TIMES, "life time factor"))
        self.guarded: bool = True
        access.node.sign_off = (0x100D, 0, bytes(1))
        self.used.append(f"life guarding 100Ch {LIFE_TIMES} x {held} ms")
        return True

    def _timer(self, timer: Timer) -> None:
        index, sub = place_of(timer.object)
        value = int(self._settings.consumer_heartbeat_s / (timer.unit_s * timer.times) + 1e-6)
        if value < 1:
            raise DriveSetupError(
                f"{self._access.where}: {timer.name} ({timer.object}) cannot be as short as "
                f"{self._settings.consumer_heartbeat_s:g} s in units of {timer.unit_s:g} s"
            )
        held = self._access.write(
            Parameter(index, sub, timer.kind, value, timer.name, less=self._shorter(value))
        )
        if held:
            time_ms = held * timer.unit_s * timer.times * 1e3
            self.used.append(f"{timer.name} {timer.object} {time_ms:g} ms")

    def _shorter(self, value: int) -> int:
        """Return by how much shorter than asked a watchdog may be: one lost cycle must pass."""
        return value // 2
