"""Requests of a Modbus cycle: devices without function 23, with small requests, and busy ones."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from modbus_bench import shipped_map, shipped_table

from drives.modbus.codec import AxisOrder, CycleCodec, check_rtu_rate, rtu_cycle_s
from drives.modbus.cycle import CycleResult, CycleRunner
from drives.modbus.errors import ModbusClosedError, refusal
from drives.modbus.register_table import RegisterMapError
from drives.modbus.requests import cycle_requests

ORDERS = [AxisOrder(6 + leg, 8, 0x0001_0000 * leg - 7, -leg) for leg in range(6)]


class Registers:
    """A device as the protocol describes one: registers, and what it refuses.

    Every request moves its clock by a millisecond.
    """

    url = "memory:"

    def __init__(self, *, most=125, functions=(3, 16, 23), refuse=()):
        self.memory, self.most, self.functions = Counter(), most, functions
        self.refuse = list(refuse)  # exception codes of the next requests; None answers
        self.asked, self.t_s = [], 0.0

    def now_s(self):
        return self.t_s

    def _take(self, unit, function, *counts):
        self.t_s += 0.001
        self.asked.append((unit, function, *counts))
        if self.refuse and (code := self.refuse.pop(0)) is not None:
            raise refusal(unit, function, code, "test")
        if function not in self.functions:
            raise refusal(unit, function, 1, "test")
        if max(counts) > self.most:
            raise refusal(unit, function, 3, "test")

    def read(self, unit, address, count):
        self._take(unit, 3, count)
        return [self.memory[unit, address + i] for i in range(count)]

    def write(self, unit, address, values):
        self._take(unit, 16, len(values))
        self._store(unit, address, values)

    def read_write(self, unit, read_address, read_count, write_address, values):
        self._take(unit, 23, read_count, len(values))
        self._store(unit, write_address, values)
        return [self.memory[unit, read_address + i] for i in range(read_count)]

    def _store(self, unit, address, values):
        for i, value in enumerate(values):
            self.memory[unit, address + i] = value
        # The device echoes the counter at once, as the map of the emulated rack says.
        self.memory[unit, 100] = self.memory[unit, 0]


def run(device, map_, budget_s=1.0):
    result = CycleResult()
    CycleRunner(map_, device.now_s).run(device, ORDERS, device.t_s + budget_s, result)
    return result


def wide_offsets(map_):
    """Second registers of all 32-bit values, from the map's file alone."""
    table = shipped_table()
    wide = {
        "write": (["target_position", "target_speed"], map_.write),
        "read": (["position", "speed"], map_.read),
    }
    return {
        name: {
            block.first_axis + axis * block.stride + table[name]["axis"][field] + 1
            for axis in range(6)
            for field in fields
        }
        for name, (fields, block) in wide.items()
    }


@given(most=st.integers(2, 125), read_write=st.booleans())
def test_pieces_cover_both_blocks_once_and_tear_no_value(most, read_write):
    map_ = shipped_map(registers_per_request=most, read_write=read_write)
    requests = cycle_requests(map_)
    torn = wide_offsets(map_)
    for name, block in (("write", map_.write), ("read", map_.read)):
        parts = [getattr(request, name) for request in requests if getattr(request, name)]
        covered = [
            offset for part in parts for offset in range(part.offset, part.offset + part.count)
        ]
        assert covered == list(range(block.count))
        assert all(1 <= part.count <= most for part in parts)
        assert not {part.offset for part in parts} & torn[name]
    if not read_write:
        kinds = [request.write is not None for request in requests]
        assert kinds == sorted(kinds, reverse=True)
        assert all((request.write is None) != (request.read is None) for request in requests)


@given(most=st.sampled_from([2, 3, 16, 61, 121]), read_write=st.booleans())
def test_what_arrives_is_what_one_request_would_have_brought(most, read_write):
    """However the blocks are shared out, the device holds the same and the bank reads the same."""
    functions = (3, 16, 23) if read_write else (3, 16)
    device = Registers(most=most, functions=functions)
    whole = Registers()
    for each in (device, whole):
        for offset in range(1, 62):
            each.memory[1, 100 + offset] = 1000 + offset
    map_ = shipped_map(registers_per_request=most, read_write=read_write)
    found, expected = run(device, map_), run(whole, shipped_map())
    assert not found.errors
    assert found.answers == expected.answers
    assert device.memory == whole.memory
    assert {asked[1] for asked in device.asked} <= set(functions)


def test_a_device_without_function_23_is_written_first_and_read_then():
    device = Registers(functions=(3, 16))
    result = run(device, shipped_map(read_write=False))
    assert [asked[1:] for asked in device.asked] == [(16, 37), (3, 61)]
    assert list(result.answers) == [1]


def test_control_asked_by_function_23_it_refuses():
    device = Registers(functions=(3, 16))
    result = run(device, shipped_map())
    assert "exception 1, illegal function" in str(result.errors[1])


@pytest.mark.parametrize("requests", [1, 2])
@pytest.mark.parametrize("in_time", [1, 2, 4, 5])
def test_units_that_a_slow_bus_left_out_are_the_first_of_the_next_cycle(in_time, requests):
    """The loop takes what came by the deadline; of the next answer only the bus has known."""
    device, heard = Registers(), Counter()
    map_ = shipped_map(units=[1, 2, 3, 4, 5, 6], read_write=requests == 1)
    runner = CycleRunner(map_, device.now_s)
    for _ in range(30):
        result = CycleResult()
        runner.run(device, ORDERS, device.t_s + 1e-3 * (requests * in_time + 0.5), result)
        assert len(result.answers) == in_time + (requests == 1)
        heard.update(list(result.answers)[:in_time])
    assert {heard[unit] for unit in range(1, 7)} == {5 * in_time}


@pytest.mark.parametrize("times", [1, 2, 5])
def test_a_busy_unit_is_asked_again_within_the_cycle(times):
    device = Registers(refuse=[6] * times)
    result = run(device, shipped_map())
    assert list(result.answers) == [1]
    assert not result.errors
    assert result.busy == times


def test_a_busy_unit_does_not_keep_the_others_from_their_turn():
    device = Registers(refuse=[6])
    result = run(device, shipped_map(units=[1, 2]))
    assert [asked[0] for asked in device.asked] == [1, 2, 1]
    assert set(result.answers) == {1, 2}


def test_a_unit_that_stays_busy_costs_the_cycle_and_no_more():
    device = Registers(refuse=[6] * 100)
    result = run(device, shipped_map(), budget_s=0.008)
    assert not result.answers
    assert result.errors[1].code == 6
    assert len(device.asked) <= 9
    device.refuse.clear()
    assert list(run(device, shipped_map()).answers) == [1]


@pytest.mark.parametrize("code", [1, 2, 3, 4, 11])
def test_other_exceptions_are_not_asked_again(code):
    device = Registers(refuse=[code])
    result = run(device, shipped_map())
    assert not result.answers
    assert result.errors[1].code == code
    assert len(device.asked) == 1


def test_nothing_is_asked_after_the_deadline_between_two_pieces():
    device = Registers(most=16)
    result = run(device, shipped_map(registers_per_request=16), budget_s=0.0025)
    assert not result.answers
    assert len(device.asked) == 3


def test_a_lost_connection_in_the_middle_is_told_and_not_repeated():
    class Dying(Registers):
        def read(self, unit, address, count):
            raise ModbusClosedError("gone")

    result = run(Dying(), shipped_map(read_write=False))
    assert str(result.errors[1]) == "gone"
    assert not result.answers


def test_a_serial_line_has_time_for_both_requests():
    """Sums of the frames of Modbus over Serial Line V1.02 by hand: 8E1, 115200 Bd, 1.75 ms gaps."""
    bits = 11 / 115200
    once = (13 + 2 * 37 + 5 + 2 * 61) * bits + 2 * 0.00175 + 0.001
    twice = (9 + 2 * 37 + 8 + 8 + 5 + 2 * 61) * bits + 4 * 0.00175 + 0.002
    assert rtu_cycle_s(shipped_map(), 115200, "E", 1) == pytest.approx(once)
    assert rtu_cycle_s(shipped_map(read_write=False), 115200, "E", 1) == pytest.approx(twice)
    with pytest.raises(ValueError, match="a rate of"):
        check_rtu_rate(shipped_map(read_write=False), 0.03, 0.028, 115200, "E", 1)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"registers_per_request": 1}, "a whole number from 2 to 125"),
        ({"registers_per_request": 126}, "a whole number from 2 to 125"),
        ({"read_write": 1}, "true or false"),
    ],
)
def test_nonsense_in_a_map_is_refused_with_its_place(changes, words):
    with pytest.raises(RegisterMapError, match=words):
        shipped_map(**changes)


def test_a_block_longer_than_a_request_needs_to_be_shared_out():
    table = shipped_table()
    table["read"] = {**table["read"], "stride": 30}
    with pytest.raises(RegisterMapError, match="one request holds 125"):
        shipped_map(read=table["read"])
    map_ = shipped_map(read=table["read"], registers_per_request=125, watchdog_address=400)
    assert map_.read.count > 125
    assert CycleCodec(map_).decode([0] * map_.read.count).echo == 0
