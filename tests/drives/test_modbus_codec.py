"""Words and registers, and what a serial line holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from modbus_bench import shipped_map, shipped_table

from drives.bank import DriveModelError
from drives.modbus.codec import (
    AxisOrder,
    CycleCodec,
    check_rtu_rate,
    from_registers,
    rtu_cycle_s,
    to_registers,
)
from drives.modbus.register_map import WordOrder, register_map_from
from drives.modbus.register_table import RegisterType

RANGES = {
    RegisterType.U16: (0, 0xFFFF),
    RegisterType.I16: (-0x8000, 0x7FFF),
    RegisterType.U32: (0, 0xFFFF_FFFF),
    RegisterType.I32: (-(2**31), 2**31 - 1),
}


@given(st.data(), st.sampled_from(list(RegisterType)), st.sampled_from(list(WordOrder)))
def test_a_value_comes_back_from_its_registers(data, kind, order):
    value = data.draw(st.integers(*RANGES[kind]))
    registers = to_registers(value, kind, order)
    assert len(registers) == kind.registers
    assert all(0 <= register <= 0xFFFF for register in registers)
    assert from_registers(registers, kind, order) == value


@pytest.mark.parametrize("kind", RegisterType)
def test_a_value_that_does_not_fit_is_refused_and_never_cut_off(kind):
    low, high = RANGES[kind]
    for value in (low, high):
        to_registers(value, kind, WordOrder.BIG)
    for value in (low - 1, high + 1):
        with pytest.raises(DriveModelError, match=f"{value} is no {kind.value}, {low} to {high}"):
            to_registers(value, kind, WordOrder.BIG)


@pytest.mark.parametrize(
    ("order", "words"), [(WordOrder.BIG, (0xFFFE, 0x1DC0)), (WordOrder.LITTLE, (0x1DC0, 0xFFFE))]
)
def test_the_order_of_the_halves_is_the_maps(order, words):
    assert to_registers(-123456, RegisterType.I32, order) == words


def test_the_written_block_is_the_one_of_the_map():
    orders = [AxisOrder(0x0F, 8, -1, 2)] + [AxisOrder(6, 8, 0x10002 * k, -k) for k in range(1, 6)]
    registers = CycleCodec(shipped_map()).encode(0x1_0007, orders)
    assert len(registers) == 37
    assert registers[:13] == [7, 15, 8, 0xFFFF, 0xFFFF, 0, 2, 6, 8, 1, 2, 0xFFFF, 0xFFFF]


def test_the_read_block_is_the_one_of_the_map():
    registers = [7, 3] + [0] * 59
    registers[52:61] = [0x1237, 8, 0x8611, 0x0C, 0xFFFF, 0xFFFE, 0, 5, 0xFFF6]
    answer = CycleCodec(shipped_map()).decode(registers)
    assert (answer.echo, answer.boot_count) == (7, 3)
    assert answer.axes[5] == (0x1237, 8, 0x8611, 0x0C, -2, 5, -10)
    assert answer.axes[0] == (0, 0, 0, 0, 0, 0, 0)


def test_a_map_of_low_halves_first_and_fewer_words_is_read_rightly():
    table = shipped_table()
    table["word_order"] = "little"
    del table["read"]["axis"]["inputs"], table["read"]["axis"]["force"]
    registers = [7, 3] + [0] * 58
    registers[52:60] = [0x1237, 8, 0x8611, 0xBAD, 0xFFFE, 0xFFFF, 5, 0]
    answer = CycleCodec(register_map_from(table, "own.toml")).decode(registers)
    assert answer.axes[5] == (0x1237, 8, 0x8611, 0, -2, 5, 0)
    assert registers[56] == 0xFFFE  # the caller's registers stay as they are


def test_the_time_on_the_line_is_that_of_its_characters():
    # Request 87 bytes, answer 127 bytes of 11 bits, two gaps of 1.75 ms, 1 ms for the device.
    expected_s = (87 + 127) * 11 / 115200 + 2 * 0.00175 + 0.001
    assert rtu_cycle_s(shipped_map(), 115200, "E", 1) == pytest.approx(expected_s)
    slow_s = (87 + 127) * 10 / 9600 + 2 * 3.5 * 10 / 9600 + 0.001
    assert rtu_cycle_s(shipped_map(), 9600, "N", 1) == pytest.approx(slow_s)


def test_a_rate_that_the_line_cannot_carry_is_refused_with_one_that_would_do():
    check_rtu_rate(shipped_map(), 0.025, 0.025, 115200, "E", 1)
    with pytest.raises(DriveModelError, match=r"24\.9 ms at 115200 Bd 8E1, 16\.0 ms .* 230400 Bd"):
        check_rtu_rate(shipped_map(), 0.02, 0.016, 115200, "E", 1)
    with pytest.raises(DriveModelError, match=r"a rate of (\S+) Hz or less") as told:
        check_rtu_rate(shipped_map(), 0.02, 0.016, 115200, "E", 1)
    rate_hz = float(str(told.value).split("a rate of ")[1].split()[0])
    check_rtu_rate(shipped_map(), 1.0 / (rate_hz - 0.1), 0.8 / (rate_hz - 0.1), 115200, "E", 1)


def test_six_units_on_a_line_take_their_turns():
    units = shipped_map(units=[1, 2, 3, 4, 5, 6])
    once_s = ((11 + 14 + 2) + (3 + 22 + 2)) * 11 / 115200 + 2 * 0.00175 + 0.001
    assert rtu_cycle_s(units, 115200, "E", 1) == pytest.approx(6 * once_s)
