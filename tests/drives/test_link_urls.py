"""Links as they are written."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drives.bank import LinkError
from drives.links import (
    CanLink,
    LinkUrlError,
    ModbusRtuLink,
    ModbusTcpLink,
    SimLink,
    lock_modbus,
    open_can,
    parse_link,
)
from drives.modbus.frames import bits_per_character

BY_ID = "/dev/serial/by-id/usb-Example_Adapter_0042-if00"


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("sim:", SimLink("sim:")),
        ("socketcan:can0", CanLink("socketcan", "can0", "socketcan:can0")),
        (f"slcan:{BY_ID}", CanLink("slcan", BY_ID, f"slcan:{BY_ID}")),
        (
            "slcan:/dev/ttyUSB0?baud=921600",
            CanLink("slcan", "/dev/ttyUSB0", "slcan:/dev/ttyUSB0?baud=921600", baud=921600),
        ),
        (
            "slcan:socket://127.0.0.1:29536",
            CanLink("slcan", "socket://127.0.0.1:29536", "slcan:socket://127.0.0.1:29536"),
        ),
        (
            "slcan:socket://[::1]:29536",
            CanLink("slcan", "socket://[::1]:29536", "slcan:socket://[::1]:29536"),
        ),
        (
            "socketcand://bench.local:29536/can1",
            CanLink(
                "socketcand",
                "can1",
                "socketcand://bench.local:29536/can1",
                host="bench.local",
                port=29536,
            ),
        ),
        ("modbus-tcp://10.0.0.7:1502", ModbusTcpLink("10.0.0.7", 1502)),
        ("modbus-tcp://10.0.0.7", ModbusTcpLink("10.0.0.7", 502)),
        ("modbus-tcp://[fe80::7]:502", ModbusTcpLink("fe80::7", 502)),
        (f"modbus-rtu:{BY_ID}", ModbusRtuLink(BY_ID, 19200, "E", 1)),
        (
            "modbus-rtu:/dev/ttyUSB0?baud=115200&parity=n",
            ModbusRtuLink("/dev/ttyUSB0", 115200, "N", 2),
        ),
        (
            "modbus-rtu:/dev/ttyUSB0?parity=N&stop_bits=1",
            ModbusRtuLink("/dev/ttyUSB0", 19200, "N", 1),
        ),
        (
            "modbus-rtu:socket://10.0.0.7:4001?baud=9600&parity=O",
            ModbusRtuLink("socket://10.0.0.7:4001", 9600, "O", 1),
        ),
        ("modbus-rtu:socket://[fe80::7]:4001", ModbusRtuLink("socket://[fe80::7]:4001")),
    ],
)
def test_a_link_is_read(url, link):
    assert parse_link(url) == link


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("modbus-rtu:socket://10.0.0.7:4001", ("10.0.0.7", 4001)),
        ("modbus-rtu:socket://[fe80::7]:4001?parity=N", ("fe80::7", 4001)),
        (f"modbus-rtu:{BY_ID}", None),
    ],
)
def test_a_serial_server_is_a_host_and_a_port(url, server):
    assert parse_link(url).server == server


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("", "begins like none of sim:, slcan:"),
        ("sim", "begins like none of"),
        ("can0", "begins like none of"),
        ("http://host", "begins like none of"),
        ("SLCAN:/dev/ttyACM0", "begins like none of"),
        ("slcan:/dev/tty ACM0", "begins like none of"),
        ("slcan:/dev/ttyACM0 slcan:/dev/ttyACM1", "begins like none of"),
        ("sim:fast", "'fast' stands after sim:"),
        ("slcan:ttyACM0", "'ttyACM0' is no path that begins with /; as in slcan:/dev/serial"),
        ("slcan:", "'' is no path"),
        ("slcan:/dev/ttyACM0?speed=1", "option 'speed' is not known, there is baud"),
        ("slcan:/dev/ttyACM0?baud=12345", "baud '12345' is none of 1200, 2400"),
        ("slcan:/dev/ttyACM0?baud=9600&baud=1200", "no list of different options"),
        ("slcan:/dev/ttyACM0?baud", "baud '' is none of"),
        ("slcan:/dev/ttyACM0?&", "no list of different options"),
        ("slcan:socket://127.0.0.1", "port 0 is not 1 to 65535; as in slcan:socket://HOST:PORT"),
        ("slcan:socket:127.0.0.1:80", "'127.0.0.1:80' is no //HOST:PORT"),
        ("slcan:socket://127.0.0.1:99999", "port 99999 is not 1 to 65535"),
        ("socketcan:", "'' is no name of a CAN interface"),
        ("socketcan:can/0", "'can/0' is no name"),
        ("socketcan:a_name_of_16_byte", "is no name of a CAN interface"),
        ("socketcand://host/can0", "port 0 is not 1 to 65535; as in socketcand://HOST:PORT/can0"),
        ("socketcand://host:29536", "'' is no name of a CAN interface"),
        ("socketcand:host:29536/can0", "'ho"),
        ("modbus-tcp://:502", "is no //HOST:PORT; as in modbus-tcp://HOST:PORT"),
        ("modbus-tcp://host:x", "is no //HOST:PORT"),
        ("modbus-tcp://host:0", "port 0 is not 1 to 65535"),
        ("modbus-tcp://host:502/1", "is no //HOST:PORT"),
        ("modbus-rtu:COM3", "'COM3' is no path"),
        ("modbus-rtu:socket://host", "port 0 is not 1 to 65535; as in modbus-rtu:socket://HOST:"),
        ("modbus-rtu:socket:host:1", "'host:1' is no //HOST:PORT; as in modbus-rtu:socket://"),
        ("modbus-rtu:socket://h:1/x", "is no //HOST:PORT"),
        ("modbus-rtu:socket://h:1?bits=7", "option 'bits' is not known, there is baud, parity,"),
        ("modbus-rtu:/dev/ttyUSB0?parity=X", "parity 'X' is none of E, O, N"),
        ("modbus-rtu:/dev/ttyUSB0?stop_bits=3", "stop_bits '3' is none of 1, 2"),
        ("modbus-rtu:/dev/ttyUSB0?bits=7", "option 'bits' is not known, there is baud, parity,"),
    ],
)
def test_a_wrong_link_says_where_and_what_would_be_right(url, text):
    with pytest.raises(LinkUrlError) as refusal:
        parse_link(url)
    assert text in str(refusal.value)
    assert f"link '{url}'" in str(refusal.value)


@given(
    st.one_of(
        st.text(),
        st.text("slcan:modbus-tcp/sokeh.0123456789?&=[]baud").map("slcan:{}".format),
        st.text("/:?&=[]baudprityEN0123456789").map("modbus-rtu:/{}".format),
        st.text("/:[]host.0123456789").map("modbus-tcp://{}".format),
        st.text("/:[]host.0123456789?&=baud").map("modbus-rtu:socket:{}".format),
        st.text("/:[]host.0123456789").map("socketcand://{}".format),
    )
)
def test_any_text_is_a_link_or_an_error_that_names_it(url):
    try:
        link = parse_link(url)
    except LinkUrlError as refusal:
        assert f"link '{url}'" in str(refusal)  # noqa: PT017
    else:
        if isinstance(link, ModbusTcpLink | ModbusRtuLink):
            assert parse_link(link.url) == link


@pytest.mark.parametrize(
    ("query", "bits"),
    [("", 11), ("?parity=N", 11), ("?parity=N&stop_bits=1", 10), ("?parity=O&stop_bits=2", 12)],
)
def test_bits_of_a_character(query, bits):
    link = parse_link(f"modbus-rtu:/dev/ttyUSB0{query}")
    assert isinstance(link, ModbusRtuLink)
    assert bits_per_character(link.parity, link.stop_bits) == bits


def test_two_spellings_of_a_modbus_endpoint_are_one_lock():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    first = lock_modbus(ModbusTcpLink("localhost", port))
    for host in ("127.0.0.1", "127.0.0.9"):
        with pytest.raises(LinkError, match="another controller has it"):
            lock_modbus(ModbusTcpLink(host, port))
    first.release()
    lock_modbus(ModbusTcpLink("127.0.0.1", port)).release()


def test_two_names_of_a_serial_device_are_one_lock(tmp_path):
    device, by_id = tmp_path / "ttyUSB0", tmp_path / "usb-Example"
    device.touch()
    by_id.symlink_to(device)
    first = lock_modbus(ModbusRtuLink(str(by_id)))
    with pytest.raises(LinkError, match=f"modbus-rtu:{device}.*another controller has it"):
        lock_modbus(ModbusRtuLink(str(device)))
    first.release()


def test_a_can_device_that_is_absent_is_named():
    link = parse_link("slcan:/dev/serial/by-id/usb-nothing")
    assert isinstance(link, CanLink)
    with pytest.raises(LinkError) as refusal:
        open_can(link, bitrate=1_000_000, now_s=lambda: 0.0)
    text = str(refusal.value)
    assert text.startswith("slcan:/dev/serial/by-id/usb-nothing: cannot open /dev/serial/by-id/")
    assert "No such file or directory; plug the adapter in" in text


def test_reading_a_link_loads_no_bus_library_and_needs_no_unix():
    script = (
        "import sys\n"
        "for name in ('can', 'serial', 'termios', 'fcntl'): sys.modules[name] = None\n"
        "from drives.links import parse_link\n"
        "print(parse_link('socketcan:can0').channel)"
    )
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout == "can0\n"
