"""Rows 36 to 40 of the fault catalogue: a Modbus device that is silent, late, refuses or garbles.

Each row has a control beside it: the same check on a bank whose reaction is patched out, or on
the plain library, must find the fault unnoticed.
"""

import contextlib
from unittest import mock

import pytest
from modbus_bench import RackThread, modbus_rtu, modbus_tcp, shipped_map, six
from pymodbus.client import ModbusSerialClient, ModbusTcpClient
from pymodbus.exceptions import ModbusIOException

from drives.bank import DriveGoal, DriveState, LegCommand, LinkLostError
from drives.links import parse_link
from drives.modbus import cycle as modbus_cycle
from drives.modbus import gateway as modbus_gateway
from drives.modbus import units as modbus_units
from drives.modbus.codec import AxisOrder
from drives.modbus.errors import (
    ModbusExceptionError,
    ModbusGarbledError,
    ModbusTimeoutError,
    ModbusWrongUnitError,
)
from drives.modbus.gateway import rtu_gateway, tcp_gateway
from hil.timing.realtime import RealClock
from sim.devices.drive.cia402 import State
from sim.devices.modbus.injection import ModbusInjection

pytestmark = pytest.mark.real_time

ANSWER_S = 0.06
SLACK_S = 0.25
"""What a busy machine may take on top of a deadline."""
COUNTS_PER_M, SERIAL = 1000, 1032
"""Registers of the first axis: 1000000 counts per metre, serial number 1001."""


@contextlib.contextmanager
def enabled(make, **changes):
    """A bank whose six legs are enabled, and what it is commanded."""
    bank = make(**changes)
    try:
        bank.configure()
        for goal, reached in (
            (DriveGoal.HOMED, lambda f: all(f.homed)),
            (DriveGoal.ENABLED, lambda f: f.state == six(DriveState.ENABLED)),
        ):
            bank.request(goal)
            for _ in range(2000):
                feedback = bank.exchange(None)
                if reached(feedback):
                    break
            assert reached(feedback), (feedback, bank.waiting)
        bank._answer_s = ANSWER_S
        bank._gateway.begin_cycles(ANSWER_S)
        yield bank, LegCommand(feedback.length_m, six(0.0))
    finally:
        bank.close()


def begin(bank, kind, value=0.0, axis=0):
    bank.rack.faults.start(ModbusInjection(kind, axis, value), bank.rack.now_s())


@contextlib.contextmanager
def asked(rack, make):
    """A connection to a rack, made by the test."""
    gateway = make(parse_link(rack.url))
    try:
        yield gateway
    finally:
        gateway.close()
        rack.close()


def our_rtu(link):
    return rtu_gateway(link.device, link.baud, "N", 2, link.url, ANSWER_S, ANSWER_S)


def our_tcp(link):
    return tcp_gateway(link.host, link.port, link.url, ANSWER_S)


def plain_rtu(link):
    client = ModbusSerialClient(
        link.device, baudrate=link.baud, stopbits=2, timeout=ANSWER_S, retries=0
    )
    assert client.connect()
    return client


def plain_tcp(link, **options):
    client = ModbusTcpClient(link.host, port=link.port, **options)
    assert client.connect()
    return client


# -- row 36: silent ---------------------------------------------------------------------------


def exchange_in_time(bank, command):
    clock = RealClock()
    began_s = clock.now_s()
    feedback = bank.exchange(command)
    assert clock.now_s() - began_s < ANSWER_S + SLACK_S
    return feedback


def check_silence(bank, command):
    for cycle in range(1, 9):
        feedback = exchange_in_time(bank, command)
        assert feedback.fresh == six(False)
        silent_s = cycle * 0.01
        if silent_s > 0.05 + 1e-9:
            assert feedback.state == six(DriveState.UNKNOWN)
            assert feedback.fault_code == six(0x8130)


@pytest.mark.parametrize("kind", ["mute", "drop"])
def test_row_36_a_silent_device_costs_one_deadline_and_is_unknown_after_the_watchdog(kind):
    with enabled(modbus_tcp) as (bank, command):
        last_s = bank.rack.now_s()
        begin(bank, kind)
        check_silence(bank, command)
        if kind == "mute":  # the device itself has stopped its drives meanwhile
            bank.rack.core.advance(last_s + 0.05)
            assert bank.rack.core.tripped_at_s == pytest.approx(last_s + 0.05, abs=1e-6)
            states = {drive.state for drive in bank.rack.core.drives}
            assert states <= {State.FAULT_REACTION_ACTIVE, State.FAULT}


def test_row_36_control_a_bank_that_believes_the_last_state_is_found_out():
    with enabled(modbus_tcp) as (bank, command):
        begin(bank, "mute")
        bank._units._watchdog_s = 0.5
        with pytest.raises(AssertionError):
            check_silence(bank, command)


def test_row_36_control_the_plain_library_waits_four_times_as_long():
    rack, clock, timeout_s = RackThread("tcp"), RealClock(), 0.1
    with asked(rack, lambda link: plain_tcp(link, timeout=timeout_s)) as client:
        rack.faults.start(ModbusInjection("mute"), rack.now_s())
        began_s = clock.now_s()
        with pytest.raises(ModbusIOException):
            client.read_holding_registers(COUNTS_PER_M, count=1, device_id=1)
        assert clock.now_s() - began_s > 3.9 * timeout_s


def test_row_36_what_is_silent_is_not_enabled_again_by_itself():
    with enabled(modbus_tcp) as (bank, command):
        begin(bank, "mute")
        for _ in range(8):
            bank.exchange(command)
        bank.rack.faults.clear()
        for _ in range(30):
            feedback = bank.exchange(command)
        assert DriveState.ENABLED not in feedback.state
        assert feedback.fault_code == six(0x8130)  # now the drives tell it themselves
        assert feedback.accepted is None
        bank.request(DriveGoal.DISABLED)
        for _ in range(100):
            feedback = bank.exchange(None)
        assert feedback.state == six(DriveState.DISABLED)
        assert feedback.fault_code == six(0)


def test_row_36_a_port_that_is_gone_is_a_lost_link():
    with enabled(modbus_rtu) as (bank, command):
        begin(bank, "unplug")
        with pytest.raises(LinkLostError, match="modbus-rtu:"):
            exchange_often(bank, command)


def exchange_often(bank, command):
    for _ in range(200):
        bank.exchange(command)


# -- row 37: late -----------------------------------------------------------------------------

LATE_S = 1.5 * ANSWER_S


def read_two(read):
    """Read register 1000 of a late device, then 1032 once it is quick again; return the second."""
    with contextlib.suppress(Exception):
        read(COUNTS_PER_M)
    return read(SERIAL)


def test_row_37_a_late_answer_is_never_taken_for_the_next_one():
    rack = RackThread("rtu")
    rack.faults.start(ModbusInjection("delay", value=LATE_S), rack.now_s())
    with asked(rack, our_rtu) as gateway:

        def read(address):
            words = gateway.read(1, address, 2)
            return words[0] << 16 | words[1]

        with pytest.raises(ModbusTimeoutError, match="no answer in time"):
            read(COUNTS_PER_M)
        rack.faults.clear()
        assert read(SERIAL) == 1001


def test_row_37_control_the_plain_library_takes_it():
    rack = RackThread("rtu")
    rack.faults.start(ModbusInjection("delay", value=LATE_S), rack.now_s())
    with asked(rack, plain_rtu) as client:

        def read(address):
            answer = client.read_holding_registers(address, count=2, device_id=1)
            return answer.registers[0] << 16 | answer.registers[1]

        assert read_two(read) == 1_000_000  # the register that was asked before


def test_row_37_control_so_do_we_without_clearing_the_line():
    rack = RackThread("rtu")
    rack.faults.start(ModbusInjection("delay", value=LATE_S), rack.now_s())
    with (
        mock.patch.object(modbus_gateway.ModbusGateway, "_clear_line"),
        asked(rack, our_rtu) as gateway,
    ):

        def read(address):
            words = gateway.read(1, address, 2)
            return words[0] << 16 | words[1]

        assert read_two(read) == 1_000_000


def test_row_37_tcp_drops_the_connection_after_a_late_answer():
    rack = RackThread("tcp")
    with asked(rack, our_tcp) as gateway:
        gateway.read(1, SERIAL, 2)
        before = gateway._client.socket
        rack.faults.start(ModbusInjection("delay", value=LATE_S), rack.now_s())
        with pytest.raises(ModbusTimeoutError):
            gateway.read(1, COUNTS_PER_M, 2)
        rack.faults.clear()
        assert gateway.read(1, SERIAL, 2) == [0, 1001]
        assert gateway._client.socket is not before


class FakeGateway:
    """Answers every cycle with the state words of an earlier request."""

    url = "fake:"
    distrusted = False

    def __init__(self, behind):
        self._behind, self._echoes = behind, []

    def read_write(self, unit, read_address, read_count, write_address, values):
        self._echoes.append(values[0])
        return [self._echoes[-1] - self._behind, 1] + [0] * (read_count - 2)

    def distrust(self):
        self.distrusted = True


@pytest.mark.parametrize("behind", [0, 1])
def test_row_37_the_echo_proves_that_an_answer_belongs_to_its_request(behind):
    gateway, result = FakeGateway(behind), modbus_cycle.CycleResult()
    runner = modbus_cycle.CycleRunner(shipped_map(), lambda: 0.0)
    runner.run(gateway, [AxisOrder(6, 8, 0, 0)] * 6, 1.0, result)
    assert gateway.distrusted == bool(behind)
    assert (1 in result.answers) == (not behind)
    if behind:
        assert "answers request 0, asked was request 1" in str(result.errors[1])


# -- row 38: refused --------------------------------------------------------------------------


def check_refusal(bank, command):
    feedback = exchange_in_time(bank, command)
    assert feedback.fresh == six(False)
    assert feedback.state == six(DriveState.UNKNOWN)
    assert feedback.fault_code == six(0x8104)
    assert bank.link_report().exceptions == 1
    assert "exception 4, server device failure" in bank.link_report().note


def test_row_38_an_exception_answer_is_a_fault_in_the_same_cycle():
    with enabled(modbus_tcp) as (bank, command):
        begin(bank, "exception", 4)
        check_refusal(bank, command)


def test_row_38_control_a_bank_that_overlooks_it_is_found_out():
    with enabled(modbus_tcp) as (bank, command):
        begin(bank, "exception", 4)
        with (
            mock.patch.object(modbus_units, "ModbusExceptionError", ModbusWrongUnitError),
            pytest.raises(AssertionError),
        ):
            check_refusal(bank, command)


def test_row_38_a_bad_address_raises_where_the_plain_library_returns_an_empty_answer():
    rack = RackThread("tcp")
    with asked(rack, our_tcp) as gateway:
        with pytest.raises(ModbusExceptionError, match="exception 2, illegal data address") as told:
            gateway.read(1, 5000, 1)
        assert told.value.code == 2
        plain = plain_tcp(parse_link(rack.url), timeout=1.0)
        answer = plain.read_holding_registers(5000, count=1, device_id=1)
        assert answer.isError()
        assert answer.registers == []
        plain.close()


# -- row 39: garbled --------------------------------------------------------------------------


def garble_first(faults, count):
    """Damage the next answers, so many of them."""
    left, true_wire = [count], faults.on_wire

    def on_wire(data, *, rtu):
        delay_s, data = true_wire(data, rtu=rtu)
        if left[0] > 0:
            left[0] -= 1
            data = data[:-4] + bytes([data[-4] ^ 1]) + data[-3:]
        return delay_s, data

    faults.on_wire = on_wire
    return left


def check_retry(bank, command, garbled):
    left = garble_first(bank.rack.faults, garbled)
    bank._answer_s = 1.0  # two tries on a busy machine
    before = bank.link_report().retries
    feedback = bank.exchange(command)
    assert bank.link_report().retries == before + 1
    assert feedback.fresh == six(garbled < 2)
    assert left[0] == max(0, garbled - 2)  # two tries and no more


@pytest.mark.parametrize("garbled", [1, 2, 5])
def test_row_39_a_wrong_checksum_is_discarded_and_asked_for_once_more(garbled):
    with enabled(modbus_rtu) as (bank, command):
        check_retry(bank, command, garbled)


def test_row_39_control_without_the_second_try_the_check_fails():
    with (
        enabled(modbus_rtu) as (bank, command),
        mock.patch.object(modbus_cycle, "TRIES", 1),
        pytest.raises(AssertionError),
    ):
        check_retry(bank, command, 1)


@pytest.mark.parametrize("kind", ["glue", "garble"])
@pytest.mark.parametrize(("transport", "make"), [("tcp", our_tcp), ("rtu", our_rtu)])
def test_row_39_damaged_and_glued_answers_are_no_answers(transport, make, kind):
    rack = RackThread(transport)
    with asked(rack, make) as gateway:
        assert gateway.read(1, SERIAL, 2) == [0, 1001]
        rack.faults.start(ModbusInjection(kind), rack.now_s())
        with pytest.raises(ModbusGarbledError):
            gateway.read(1, SERIAL, 2)
        rack.faults.clear()
        assert gateway.read(1, SERIAL, 2) == [0, 1001]


def test_row_39_control_the_plain_library_believes_the_first_of_two_glued_answers():
    rack = RackThread("tcp")
    with asked(rack, lambda link: plain_tcp(link, timeout=0.5, retries=0)) as client:
        rack.faults.start(ModbusInjection("glue"), rack.now_s())
        answer = client.read_holding_registers(SERIAL, count=2, device_id=1)
        assert answer.registers == [0, 1001]


# -- row 40: somebody else --------------------------------------------------------------------


@pytest.mark.parametrize(("transport", "make"), [("tcp", our_tcp), ("rtu", our_rtu)])
def test_row_40_an_answer_of_another_unit_is_refused(transport, make):
    rack = RackThread(transport)
    with asked(rack, make) as gateway:
        rack.faults.start(ModbusInjection("wrong_unit", value=2), rack.now_s())
        with pytest.raises(ModbusWrongUnitError, match="unit 2 answered, unit 1 was asked"):
            gateway.read(1, SERIAL, 2)


def test_row_40_the_legs_of_that_unit_are_not_fresh():
    with enabled(modbus_tcp) as (bank, command):
        begin(bank, "wrong_unit", 2)
        assert bank.exchange(command).fresh == six(False)


def test_row_40_control_without_the_check_another_unit_is_believed():
    rack = RackThread("tcp")
    with (
        mock.patch("drives.modbus.frames._check_unit"),
        asked(rack, our_tcp) as gateway,
    ):
        gateway._client.framer.handleFrame = unaware(gateway._client.framer)
        rack.faults.start(ModbusInjection("wrong_unit", value=2), rack.now_s())
        assert gateway.read(1, SERIAL, 2) == [0, 1001]


def unaware(framer):
    true = type(framer).handleFrame

    def handle(data, exp_devid, exp_tid):
        used, pdu = true(framer, data, 0, exp_tid)
        if pdu is not None:
            pdu.dev_id = exp_devid
        return used, pdu

    return handle


def test_a_device_that_restarts_is_unknown_until_it_is_configured_anew():
    with enabled(modbus_tcp) as (bank, command):
        begin(bank, "reboot")
        for _ in range(20):
            feedback = bank.exchange(command)
            assert feedback.state == six(DriveState.UNKNOWN)
            assert feedback.fault_code == six(0x8180)
        assert feedback.homed == six(False)
        assert feedback.accepted is None
