"""Registers of a servo drive that speaks Modbus, one unit address each: where its objects lie.

32-bit values have their low word at the lower address. The map is this rack's own; the file that
tells a bench of it is `foreign_servo.toml`.
"""

from modbus_server import ILLEGAL_ADDRESS, ILLEGAL_VALUE, ModbusError
from object_dictionary import AbortError, Key, ObjectDictionary

COMMANDS, FEEDBACK, PARAMETERS, WATCHDOG = 0x0100, 0x0200, 0x0400, 0x0500

LAYOUT: tuple[tuple[int, Key], ...] = (
    (COMMANDS + 0, (0x6040, 0)),
    (COMMANDS + 1, (0x6060, 0)),
    (COMMANDS + 2, (0x607A, 0)),
    (FEEDBACK + 0, (0x6041, 0)),
    (FEEDBACK + 1, (0x6061, 0)),
    (FEEDBACK + 2, (0x6064, 0)),
    (FEEDBACK + 4, (0x606C, 0)),
    (FEEDBACK + 6, (0x6077, 0)),
    (FEEDBACK + 7, (0x603F, 0)),
    (FEEDBACK + 8, (0x60FD, 0)),
    (PARAMETERS + 0, (0x2000, 0)),
    (PARAMETERS + 2, (0x1018, 4)),
    (PARAMETERS + 4, (0x6502, 0)),
    (PARAMETERS + 6, (0x607D, 1)),
    (PARAMETERS + 8, (0x607D, 2)),
    (PARAMETERS + 10, (0x6065, 0)),
    (PARAMETERS + 12, (0x6066, 0)),
    (PARAMETERS + 13, (0x6098, 0)),
    (PARAMETERS + 14, (0x6099, 1)),
    (PARAMETERS + 16, (0x6099, 2)),
    (PARAMETERS + 18, (0x609A, 0)),
    (PARAMETERS + 20, (0x607C, 0)),
    (PARAMETERS + 22, (0x6085, 0)),
    (PARAMETERS + 24, (0x607F, 0)),
    (PARAMETERS + 26, (0x60C5, 0)),
    (PARAMETERS + 28, (0x6007, 0)),
    (PARAMETERS + 29, (0x605A, 0)),
    (PARAMETERS + 30, (0x605E, 0)),
    (PARAMETERS + 31, (0x605D, 0)),
    (WATCHDOG, (0x2001, 0)),
)
"""First register and object. 2000h: counts per metre of rod; 2001h: watchdog [ms]."""
WORDS = {0x607A: 2, 0x6064: 2, 0x606C: 2, 0x60FD: 1, 0x6060: 1, 0x6061: 1}
"""Registers of objects that are not as long as their type says."""


class ServoRegisters:
    """The registers of one unit.

    Args:
        objects: the drive's dictionary.
    """

    def __init__(self, objects: ObjectDictionary) -> None:
        self._objects = objects
        self._cells: dict[int, tuple[Key, int, int]] = {}
        for address, key in LAYOUT:
            size = objects.rows[key].size
            words = WORDS.get(key[0], max(1, size // 2))
            for word in range(words):
                self._cells[address + word] = (key, word, words)

    def read(self, address: int, count: int) -> list[int]:
        """The registers from an address on."""
        values = []
        for cell in range(address, address + count):
            if cell not in self._cells:
                raise ModbusError(ILLEGAL_ADDRESS)
            key, word, _ = self._cells[cell]
            values.append(self._objects.rows[key].number() >> 16 * word & 0xFFFF)
        return values

    def write(self, address: int, values: list[int]) -> None:
        """Write registers; a value of two is written with its second one."""
        at = 0
        while at < len(values):
            cell = self._cells.get(address + at)
            if cell is None:
                raise ModbusError(ILLEGAL_ADDRESS)
            key, word, words = cell
            if word or at + words > len(values):
                raise ModbusError(ILLEGAL_VALUE)  # half a value
            number = sum(value << 16 * n for n, value in enumerate(values[at : at + words]))
            self._put(key, number, 16 * words)
            at += words

    def _put(self, key: Key, number: int, bits: int) -> None:
        row = self._objects.rows[key]
        if row.code.islower() and number >> bits - 1:
            number -= 1 << bits
        if row.access == "ro":
            raise ModbusError(ILLEGAL_ADDRESS)
        try:
            self._objects.write(*key, number)
        except AbortError:
            raise ModbusError(ILLEGAL_VALUE) from None
