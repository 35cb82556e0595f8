"""Frames against the text of the standards, byte for byte, so that two mistakes cannot cancel.

Application Protocol V1.1b3: 6.3 (function 3), 6.6 (6), 6.12 (16), 6.17 (23), 6.21 (43/14), 7
(exceptions). Messaging on TCP/IP V1.0b, 3.1.3: the header. Serial Line V1.02, 6.2.2: the checksum
of the bytes 02 07 is sent as 41 12.
"""

import os
import pty
import socket
import threading
import tty

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drives.modbus.errors import (
    ModbusClosedError,
    ModbusError,
    ModbusExceptionError,
    ModbusGarbledError,
    ModbusStaleError,
    ModbusTimeoutError,
    ModbusWrongAnswerError,
    ModbusWrongUnitError,
)
from drives.modbus.frames import Framing, crc16, is_whole_answer
from drives.modbus.gateway import rtu_gateway, tcp_gateway

TCP, RTU = Framing.TCP, Framing.RTU

READ_3 = ("03 006B 0003", "03 06 022B 0000 0064")
WRITE_16 = ("10 0001 0002 04 000A 0102", "10 0001 0002")
READ_WRITE_23 = (
    "17 0003 0006 000E 0003 06 00FF 00FF 00FF",
    "17 0C 00FE 0ACD 0001 0003 000D 00FF",
)
IDENTIFY_43 = (
    "2B 0E 01 00",
    "2B 0E 01 01 00 00 03 00 09 48494C2062656E6368 01 02 4142 02 05 56322E3131",
)


def pdu(text):
    return bytes.fromhex(text)


def tcp(text, unit=1, transaction=1):
    body = pdu(text)
    return b"%c%c\0\0%c%c%c" % (*divmod(transaction, 256), *divmod(len(body) + 1, 256), unit) + body


def rtu(text, unit=1):
    body = bytes([unit]) + pdu(text)
    return body + crc16(body)


class Peer:
    """A socket or a pty that says what it is told and keeps what it hears."""

    def __init__(self, framing, answers):
        self.heard, self._answers, self._framing = [], list(answers), framing
        if framing is TCP:
            self._listener = socket.create_server(("127.0.0.1", 0))
            self.port = self._listener.getsockname()[1]
        else:
            self._master, self._slave = pty.openpty()
            tty.setraw(self._slave)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def gateway(self):
        if self._framing is TCP:
            return tcp_gateway("127.0.0.1", self.port, "modbus-tcp://peer", 0.2)
        device = os.ttyname(self._slave)
        return rtu_gateway(device, 115200, "N", 2, "modbus-rtu:peer", 0.2, 0.01)

    def _run(self):
        if self._framing is TCP:
            connection, _ = self._listener.accept()
            read, write = lambda: connection.recv(512), connection.sendall
        else:
            read, write = lambda: os.read(self._master, 512), lambda b: os.write(self._master, b)
        for answer in self._answers:
            self.heard.append(read())
            write(answer)
        if self._framing is TCP:
            connection.recv(1)
            connection.close()

    def close(self):
        self._thread.join(5.0)
        if self._framing is TCP:
            self._listener.close()
        else:
            os.close(self._master)
            os.close(self._slave)


def ask(framing, answer, call):
    """Return what the gateway put on the wire and what it made of the answer."""
    peer = Peer(framing, [answer])
    gateway = peer.gateway()
    try:
        found = call(gateway)
    finally:
        gateway.close()
        peer.close()
    return peer.heard[0], found


CALLS = {
    "read": (READ_3, lambda g: g.read(1, 0x6B, 3), [0x022B, 0, 0x64]),
    "write": (WRITE_16, lambda g: g.write(1, 1, [0x000A, 0x0102]), None),
    "read_write": (
        READ_WRITE_23,
        lambda g: g.read_write(1, 3, 6, 14, [255, 255, 255]),
        [254, 2765, 1, 3, 13, 255],
    ),
    "identify": (IDENTIFY_43, lambda g: g.identify(1), ("HIL bench", "AB", "V2.11")),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(("framing", "adu"), [(TCP, tcp), (RTU, rtu)])
def test_requests_and_answers_are_the_bytes_of_the_standard(framing, adu, name):
    (request, answer), call, value = CALLS[name]
    heard, found = ask(framing, adu(answer), call)
    assert heard == adu(request)
    assert found == value


def test_the_checksum_is_the_one_of_the_serial_line_standard():
    assert crc16(bytes.fromhex("0207")) == bytes.fromhex("4112")
    # A frame of many manuals: unit 17, function 3, three registers from 6Bh, checksum 76 87.
    assert rtu("03 006B 0003", unit=0x11) == bytes.fromhex("1103006B00037687")


@pytest.mark.parametrize(("framing", "adu"), [(TCP, tcp), (RTU, rtu)])
def test_an_exception_answer_is_an_error_with_its_code(framing, adu):
    with pytest.raises(ModbusExceptionError, match="exception 2, illegal data address") as told:
        ask(framing, adu("83 02"), CALLS["read"][1])
    assert told.value.code == 2


WRONG = [
    (TCP, tcp(READ_3[1], unit=2), ModbusWrongUnitError, "unit 2 answered, unit 1 was asked"),
    (TCP, tcp(READ_3[1], transaction=7), ModbusStaleError, "transaction 7, asked was 1"),
    (TCP, tcp(READ_3[1])[:-1], ModbusTimeoutError, "stopped after 14 bytes"),
    (TCP, tcp(READ_3[1]) + b"\0", ModbusGarbledError, "16 bytes came, the answer ends after 15"),
    (TCP, b"\0\1\0\5\0\3\1\3\0", ModbusGarbledError, "protocol 0 and a length"),
    (TCP, tcp("03 04 022B 0000"), ModbusWrongAnswerError, "answer of 6 bytes to function 3, 8"),
    (TCP, tcp("03 05 022B 0000 0064"), ModbusWrongAnswerError, "counts 5 bytes and has 6"),
    (TCP, tcp("04 06 022B 0000 0064"), ModbusWrongAnswerError, "function 4 answered, 3 was"),
    (TCP, tcp("83 02 00"), ModbusWrongAnswerError, "exception answer of 3 bytes"),
    (RTU, rtu(READ_3[1], unit=2), ModbusWrongUnitError, "unit 2 answered, unit 1 was asked"),
    (RTU, rtu(READ_3[1])[:-1], ModbusTimeoutError, "stopped after 10 bytes"),
    (RTU, rtu(READ_3[1])[:-1] + b"\0", ModbusGarbledError, "11 with a right checksum"),
    (RTU, rtu(READ_3[1]) * 2, ModbusGarbledError, "22 bytes came, 11 with a right"),
    (RTU, rtu("03 04 022B 0000"), ModbusWrongAnswerError, "answer of 6 bytes to function 3, 8"),
    (RTU, rtu("83 02")[:-1] + b"\0", ModbusGarbledError, "5 with a right checksum"),
]


@pytest.mark.parametrize(("framing", "answer", "kind", "text"), WRONG)
def test_a_wrong_answer_is_told_by_its_cause(framing, answer, kind, text):
    with pytest.raises(kind, match=text):
        ask(framing, answer, CALLS["read"][1])


def test_a_write_that_confirms_something_else_is_refused():
    with pytest.raises(ModbusWrongAnswerError, match="wrote 00 01 00 03, asked was 00 01 00 02"):
        ask(TCP, tcp("10 0001 0003"), CALLS["write"][1])


def test_refused_connections_and_absent_ports_name_url_and_cause():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ModbusClosedError, match=r"modbus-tcp://x: unit 1, .*Connection refused"):
        tcp_gateway("127.0.0.1", port, "modbus-tcp://x", 0.2).read(1, 0, 1)
    with pytest.raises(ModbusClosedError, match=r"modbus-rtu:x: .*No such file"):
        rtu_gateway("/dev/absent", 9600, "N", 2, "modbus-rtu:x", 0.2, 0.01).read(1, 0, 1)


@given(st.sampled_from([TCP, RTU]), st.binary(max_size=300))
def test_any_bytes_are_an_answer_or_an_error_of_ours(framing, data):
    request = (tcp if framing is TCP else rtu)(READ_3[0])
    try:
        whole = is_whole_answer(framing, request, data)
    except ModbusError:
        return
    assert whole in (True, False)


@given(st.integers(0, 10), st.integers(0, 7))
def test_one_flipped_bit_is_never_a_right_answer_on_a_serial_line(byte, bit):
    data = bytearray(rtu(READ_3[1]))
    data[byte] ^= 1 << bit
    try:
        assert not is_whole_answer(RTU, rtu(READ_3[0]), bytes(data))
    except ModbusError:
        return


@given(st.integers(0, 10))
def test_every_beginning_of_an_answer_waits_for_the_rest(length):
    assert not is_whole_answer(RTU, rtu(READ_3[0]), rtu(READ_3[1])[:length])
    assert not is_whole_answer(TCP, tcp(READ_3[0]), tcp(READ_3[1])[:length])
