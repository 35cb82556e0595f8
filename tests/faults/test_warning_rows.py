"""Drives that warn go on; what they warn of reaches the gate as a code, and is told."""

import dataclasses

import pytest
from bench_on_modbus import BenchOnModbus
from bench_on_rack import TPDO1, BenchOnRack, in_motion
from fault_bench import FAST_LEG
from fault_judges import latched, run_on

from drives.can.frames import Frame
from drives.canopen.readings import EVERY_S
from drives.modbus.gateway import ModbusGateway
from drives.types.drive_type import DriveType, Reading
from safety.modes import Mode, Severity
from safety.verdict import Action, Check
from sim.devices.drive.maker_types import EMULATED

LEG = FAST_LEG
WARNING, FAULT = 0x80, 0x08
HOT, SHORTED = 0x4310, 0x2320
"""Excess temperature of the drive; short circuit (CiA 402-2, table of error codes)."""


def warnings(cycle):
    return [(v.leg, v.value) for v in cycle.verdict.violations if v.check is Check.WARNING]


def with_bits(bench, bits):
    """The leg's drive tells these bits of its statusword besides."""
    can_id = TPDO1 + bench.node_of(LEG)

    def alter(frame):
        if frame.can_id != can_id:
            return frame
        return Frame(can_id, bytes((frame.data[0] | bits,)) + frame.data[1:])

    bench.bus.alter = alter


def emcy(bench, code):
    frame = Frame(0x80 + bench.node_of(LEG), code.to_bytes(2, "little") + bytes(6))
    bench.bus.forged.append(frame)


def hot(bench):
    bench.rack.nodes[LEG - 1].drive.error_code = HOT
    with_bits(bench, WARNING)
    return bench.follow(5)


def test_a_canopen_drive_that_warns_goes_on_and_tells_its_code():
    bench = in_motion()
    first = len(bench.history)
    hot(bench).follow(100)
    assert {cycle.verdict.action for cycle in bench.history[first:]} == {Action.PASSED}
    assert warnings(bench.last) == [(LEG, HOT)], "603Fh was read beside the cycle"
    found = [v for v in bench.last.verdict.violations if v.check is Check.WARNING]
    assert found[0].severity is Severity.INFORM
    assert not bench.last.verdict.faults
    with_bits(bench, 0)
    bench.follow(3)
    assert not warnings(bench.last)


def test_an_emcy_of_a_drive_that_warns_is_no_fault_and_is_over_with_the_warning():
    bench = hot(in_motion())
    emcy(bench, HOT)
    bench.follow(20)
    with_bits(bench, 0)
    bench.follow(20)
    assert bench.last.verdict.mode is Mode.ENGAGED
    assert not bench.last.verdict.faults
    assert not warnings(bench.last)


def test_a_fault_after_a_warning_is_told_with_its_own_code():
    bench = hot(in_motion())
    with_bits(bench, WARNING | FAULT)
    emcy(bench, SHORTED)
    run_on(bench.mark())
    assert latched(bench, Check.DRIVE, LEG).value == SHORTED


def test_a_modbus_drive_that_warns_goes_on_and_one_in_fault_does_not(monkeypatch):
    honest, told = ModbusGateway.read_write, []

    def spoilt(self, *args):
        registers = list(honest(self, *args))
        for offset, bits in told:
            registers[offset] |= bits
        return registers

    monkeypatch.setattr(ModbusGateway, "read_write", spoilt)
    bench = BenchOnModbus()
    try:
        bench.moving()
        block = bench.bank._map.read
        at = {field.name: field.offset for field in block.fields}
        start = block.first_axis + (LEG - 1) * block.stride
        told += [(start + at["statusword"], WARNING), (start + at["error_code"], HOT)]
        bench.follow(20)
        assert warnings(bench.last) == [(LEG, HOT)]
        assert not bench.last.verdict.faults
        told.append((start + at["statusword"], FAULT))
        run_on(bench.mark())
        assert latched(bench, Check.DRIVE, LEG).value == HOT
    finally:
        bench.close()


def test_a_temperature_that_the_drive_file_names_is_told_and_nothing_is_stopped():
    reading = Reading("drive temperature", "22A2h:0", "u16", 1.0, "degC", 75.0)
    warm = dataclasses.replace(EMULATED, lacking=EMULATED.lacking - {0x22A2})
    nodes = {leg: {"type": warm} for leg in range(1, 7)}
    bench = BenchOnRack(nodes=nodes, type=DriveType(readings=(reading,))).moving()
    assert not warnings(bench.last)
    bench.rack.nodes[LEG - 1].store.values[0x22A2, 0] = 80
    bench.follow(round(6 * EVERY_S / bench.period_s) + 10)
    (found,) = (v for v in bench.last.verdict.violations if v.check is Check.WARNING)
    assert (found.leg, found.severity) == (LEG, Severity.INFORM)
    assert str(found) == f"leg {LEG}: drive warning 80 degC, more than 75 degC (drive temperature)"
    assert not bench.last.verdict.faults


def test_positive_control_a_code_without_the_bit_is_a_fault():
    bench = in_motion()
    emcy(bench, HOT)
    run_on(bench.mark())
    with pytest.raises(AssertionError):
        assert not bench.last.verdict.faults
