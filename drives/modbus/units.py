"""The state of a gateway's units: their last words, whether they live, and restarted.

The last words of a unit that is silent are kept and never believed: after the time in which its
drives have stopped by themselves, its legs are in trouble. Pure, apart from being given the time.
"""

from collections.abc import Mapping

from drives.modbus.codec import AxisAnswer, UnitAnswer
from drives.modbus.errors import ModbusBusyError, ModbusError, ModbusExceptionError
from drives.modbus.register_map import RegisterMap
from hil_common.legs import LEG_COUNT

REFUSED = 0x8100
"""Error code of a leg whose unit refuses the cyclic request, plus the number of the exception
(CiA 301: 81xxh, communication; it has no meaning of its own for 8101h to 810Fh)."""
EXCEPTION_MAX = 0x0F
"""Number for an exception that the standard does not have."""
SILENT = 0x8130
"""Error code of a leg that is silent (CiA 301: life guard or heartbeat error)."""
RESTARTED = 0x8180
"""Error code of a leg whose device has restarted, or may have, and lost its settings."""
_NOTHING = AxisAnswer(0, 0, 0, 0, 0, 0, 0)


class UnitWatch:
    """The units of one gateway, from cycle to cycle.

    Args:
        watchdog_s: Silence after which the drives have stopped by themselves [s].
    """

    def __init__(self, map_: RegisterMap, watchdog_s: float) -> None:
        self._map, self._watchdog_s = map_, watchdog_s
        self._received_s: dict[int, float] = {}
        self._boot_counts: dict[int, int | None] = {}
        self._restarted: set[int] = set()
        self.answers: list[AxisAnswer] = [_NOTHING] * LEG_COUNT
        """Last words of each drive."""

    def begin(self, boot_counts: Mapping[int, int | None]) -> None:
        """Take note of the restarts that each unit had counted when it was set up."""
        self._boot_counts.update(boot_counts)

    def listen(self, now_s: float) -> None:
        """Count silence from here on, if nothing was asked before [s]."""
        for unit in self._map.units:
            self._received_s.setdefault(unit, now_s)

    @property
    def restarted_legs(self) -> tuple[int, ...]:
        """Legs of units that have restarted, or may have."""
        return tuple(
            leg for leg in range(LEG_COUNT) if self._map.unit_of_leg(leg) in self._restarted
        )

    def take(
        self, answers: Mapping[int, UnitAnswer], now_s: float
    ) -> tuple[list[bool], list[bool]]:
        """Take in what a cycle has brought.

        Args:
            answers: By unit; a unit that is missing was silent.

        Returns:
            Whether each leg is fresh, and whether it is alive.
        """
        share = self._map.axes_per_unit
        fresh, alive = [False] * LEG_COUNT, [False] * LEG_COUNT
        for index, unit in enumerate(self._map.units):
            answer = answers.get(unit)
            if answer is not None:
                self._check_restart(unit, answer.boot_count, now_s)
                self._received_s[unit] = now_s
            living = not self._silent(unit, now_s) and unit not in self._restarted
            for axis in range(share):
                leg = index * share + axis
                fresh[leg], alive[leg] = answer is not None, living
                if answer is not None:
                    self.answers[leg] = answer.axes[axis]
        return fresh, alive

    def trouble(self, leg: int, errors: Mapping[int, ModbusError], now_s: float) -> int:
        """Return the error code of a leg whose unit cannot be relied on; 0 if it can.

        Args:
            leg: Index of the leg, 0 to 5.
            errors: Why units have no answer in this cycle.
        """
        unit = self._map.unit_of_leg(leg)
        if unit in self._restarted:
            return RESTARTED
        error = errors.get(unit)
        if isinstance(error, ModbusExceptionError) and not isinstance(error, ModbusBusyError):
            return REFUSED | min(error.code, EXCEPTION_MAX)
        return SILENT if self._silent(unit, now_s) else 0

    def _silent(self, unit: int, now_s: float) -> bool:
        return now_s - self._received_s[unit] > self._watchdog_s

    def _check_restart(self, unit: int, boot_count: int | None, now_s: float) -> None:
        known = self._boot_counts.setdefault(unit, boot_count)
        # A device that does not count its restarts may have had one while it was silent.
        if boot_count != known or (boot_count is None and self._silent(unit, now_s)):
            self._restarted.add(unit)
