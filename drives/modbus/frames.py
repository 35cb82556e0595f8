"""The judgement on Modbus frames, TCP and RTU: is this byte string the answer to that request?

The library under the bank skips what it does not like and waits on, which turns a garbled or
misdirected answer into a time-out and, on a line without transaction identifiers, a late answer
into the next one's. So every answer passes here first, byte for byte. Pure functions, no I/O.

Sources: Modbus Application Protocol V1.1b3 (sections 4, 6, 7), Modbus Messaging on TCP/IP V1.0b
(3.1.3, the MBAP header), Modbus over Serial Line V1.02 (2.5.1.2 and 6.2.2, the CRC; 2.5.1.1, gaps).
"""

from enum import Enum

from drives.modbus.errors import (
    ModbusGarbledError,
    ModbusStaleError,
    ModbusWrongAnswerError,
    ModbusWrongUnitError,
)

READ_HOLDING = 0x03
WRITE_SINGLE = 0x06
WRITE_MULTIPLE = 0x10
READ_WRITE = 0x17
EXCEPTION_BIT = 0x80
MBAP_BYTES = 7
"""Transaction and protocol identifier, length, unit (Messaging on TCP/IP V1.0b, 3.1.3)."""
PDU_BYTES_MAX = 253
"""Longest protocol data unit (Application Protocol V1.1b3, section 4.1)."""
CRC_BYTES = 2


class Framing(Enum):
    """Framing by which messages are told apart on this link."""

    TCP = "tcp"
    RTU = "rtu"


def _crc_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ 0xA001 if crc & 1 else crc >> 1
        table.append(crc)
    return tuple(table)


_CRC_TABLE = _crc_table()


def crc16(data: bytes) -> bytes:
    """Return the checksum of an RTU frame, low byte first as it is sent.

    Source: Modbus over Serial Line V1.02, 6.2.2: polynomial A001h reflected, start value FFFFh.
    """
    crc = 0xFFFF
    for byte in data:
        crc = crc >> 8 ^ _CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc.to_bytes(2, "little")


def bits_per_character(parity: str, stop_bits: int) -> int:
    """Return how many bits a byte takes on the line: start, 8 data, parity, stop."""
    return 1 + 8 + (parity != "N") + stop_bits


def rtu_bytes(written: int | None, read: int | None) -> tuple[int, int]:
    """Return the bytes of a request on a serial line, and of its answer.

    Args:
        written: Registers that it writes; None if it writes none (function 3).
        read: Registers that it reads; None if it reads none (function 16); else function 23.
    """
    frame = 1 + 1 + CRC_BYTES  # unit, function, checksum
    answer = frame + (4 if read is None else 1 + 2 * read)
    if written is None:
        return frame + 4, answer
    return frame + (5 if read is None else 9) + 2 * written, answer


def is_whole_answer(framing: Framing, request: bytes, data: bytes) -> bool:
    """Judge what has arrived so far against the request that is waiting.

    Args:
        framing: How frames are told apart.
        request: The request as it was sent, header and checksum included.
        data: All that came since then.

    Returns:
        True if it is one whole answer to this request, False if more must come.

    Raises:
        ModbusGarbledError: If it cannot become a frame.
        ModbusStaleError: If it answers an earlier request.
        ModbusWrongUnitError: If another unit sent it.
        ModbusWrongAnswerError: If it is a sound frame that does not answer the request.
    """
    if framing is Framing.TCP:
        return _is_whole_tcp(request, data)
    return _is_whole_rtu(request, data)


def _is_whole_tcp(request: bytes, data: bytes) -> bool:
    if len(data) < MBAP_BYTES:
        return False
    protocol, length = int.from_bytes(data[2:4]), int.from_bytes(data[4:6])
    if protocol != 0 or not 3 <= length <= PDU_BYTES_MAX + 1:
        text = f"answer header {data[:MBAP_BYTES].hex(' ')}: protocol 0 and a length"
        raise ModbusGarbledError(f"{text} from 3 to {PDU_BYTES_MAX + 1} are needed")
    if data[:2] != request[:2]:
        text = f"answer to transaction {int.from_bytes(data[:2])}"
        raise ModbusStaleError(f"{text}, asked was {int.from_bytes(request[:2])}")
    end = 6 + length
    if len(data) < end:
        return False
    if len(data) > end:
        raise ModbusGarbledError(f"{len(data)} bytes came, the answer ends after {end}")
    _check_unit(request[6], data[6])
    _check_pdu(request[MBAP_BYTES:], data[MBAP_BYTES:])
    return True


def _is_whole_rtu(request: bytes, data: bytes) -> bool:
    asked = request[1:-CRC_BYTES]
    sound = len(data) >= 5 and crc16(data[:-CRC_BYTES]) == data[-CRC_BYTES:]
    if sound:
        _check_unit(request[0], data[0])
        _check_pdu(asked, data[1:-CRC_BYTES])
        return True
    refused = len(data) > 1 and data[1] == asked[0] | EXCEPTION_BIT
    expected = 2 if refused else _answer_length(asked)
    if expected is None or len(data) < 1 + expected + CRC_BYTES:
        return False
    text = f"{len(data)} bytes came, {1 + expected + CRC_BYTES} with a right checksum are needed"
    raise ModbusGarbledError(text)


def _check_unit(asked: int, answered: int) -> None:
    if answered != asked:
        raise ModbusWrongUnitError(f"unit {answered} answered, unit {asked} was asked")


def _answer_length(asked: bytes) -> int | None:
    """Return the length of the normal answer to a request; None if it is not known beforehand."""
    if asked[0] in (READ_HOLDING, READ_WRITE):
        return 2 + 2 * int.from_bytes(asked[3:5])
    if asked[0] in (WRITE_SINGLE, WRITE_MULTIPLE):
        return 5
    return None


def _check_pdu(asked: bytes, answer: bytes) -> None:
    """Refuse an answer whose function, length or echo is not the request's."""
    function = asked[0]
    if answer[0] == function | EXCEPTION_BIT:
        if len(answer) != 2:
            text = f"an exception answer of {len(answer)} bytes, 2 are needed"
            raise ModbusWrongAnswerError(text)
        return
    if answer[0] != function:
        raise ModbusWrongAnswerError(f"function {answer[0]} answered, {function} was asked")
    length = _answer_length(asked)
    if length is not None and len(answer) != length:
        text = f"an answer of {len(answer)} bytes to function {function}, {length} are needed"
        raise ModbusWrongAnswerError(text)
    if function in (READ_HOLDING, READ_WRITE) and answer[1] != len(answer) - 2:
        text = f"an answer that counts {answer[1]} bytes and has {len(answer) - 2}"
        raise ModbusWrongAnswerError(text)
    if function in (WRITE_SINGLE, WRITE_MULTIPLE) and answer[1:5] != asked[1:5]:
        text = f"wrote {answer[1:5].hex(' ')}, asked was {asked[1:5].hex(' ')}"
        raise ModbusWrongAnswerError(text)
