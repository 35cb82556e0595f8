"""Errors between a Modbus request and its answer, one class for each cause.

The cycle tells them apart: a garbled answer may be asked for once more, after a missing one the
line must be cleared first, and an exception answer is a device that refuses.
"""

from drives.bank import DriveError

EXCEPTION_NAMES = {
    1: "illegal function",
    2: "illegal data address",
    3: "illegal data value",
    4: "server device failure",
    5: "acknowledge",
    6: "server device busy",
    8: "memory parity error",
    10: "gateway path unavailable",
    11: "gateway target device failed to respond",
}
"""Exception codes of the Modbus Application Protocol V1.1b3, section 7."""


class ModbusError(DriveError, OSError):
    """A request was not answered as the protocol demands."""


class ModbusTimeoutError(ModbusError):
    """No answer, or not a whole one, came in time."""


class ModbusClosedError(ModbusError):
    """The other end refused or closed the connection, or the port is gone."""


class ModbusGarbledError(ModbusError):
    """An answer is no frame: wrong checksum, wrong length, or two frames glued together."""


class ModbusWrongUnitError(ModbusError):
    """Another unit answered than the one that was asked."""


class ModbusWrongAnswerError(ModbusError):
    """A sound frame that does not answer this request: other function, too short or too long."""


class ModbusStaleError(ModbusError):
    """An answer to an earlier request."""


BUSY = 6
"""Exception code of a device that asks for patience."""


class ModbusExceptionError(ModbusError):
    """The device refused a request with an exception answer; `refusal` makes one.

    Args:
        what: What the request was about.

    Attributes:
        code: Exception code.
    """

    def __init__(self, unit: int, function: int, code: int, what: str) -> None:
        name = EXCEPTION_NAMES.get(code, "not a code of the standard")
        text = f"unit {unit} refused function {function} ({what}): exception {code}, {name}"
        super().__init__(text)
        self.code = code


class ModbusBusyError(ModbusExceptionError):
    """The device is busy and wants the request again later (exception 6)."""


def refusal(unit: int, function: int, code: int, what: str) -> ModbusExceptionError:
    """Return the error of an exception answer; arguments as of `ModbusExceptionError`."""
    kind = ModbusBusyError if code == BUSY else ModbusExceptionError
    return kind(unit, function, code, what)
