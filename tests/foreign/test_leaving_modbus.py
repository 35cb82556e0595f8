"""The bench leaves foreign servos behind a Modbus gateway: each proves to be off, or is named."""

import select
import threading
import tomllib
from pathlib import Path

import pytest
from modbus_rack import ModbusRack
from modbus_server import ModbusServer
from object_dictionary import AbortError
from power_states import State

from drives.axes.scaling import LegScale
from drives.bank import DriveGoal
from drives.links import parse_link
from drives.modbus.bank import ModbusBank
from drives.modbus.register_map import register_map_from
from drives.modbus.settings import ModbusSettings

SERVO_MAP = Path(__file__).with_name("foreign_servo.toml")
CLOSED_M = 0.64
POWERED = (State.ENABLED, State.QUICK_STOP, State.FAULT_REACTION)
GATEWAY_TARGET_SILENT = 11


def six(value):
    return (value,) * 6


class Gateway:
    """Six foreign servos behind one port; each request is a millisecond of their time."""

    def __init__(self):
        self.rack = ModbusRack(0, 0.0)
        self.rack.functions._refuse = self._refuse
        self.silent = set()
        self._server = ModbusServer(self.rack.functions)
        self.url = self._server.url
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def drives(self):
        return [unit.drive for unit in self.rack.units]

    def _refuse(self, unit, function):
        self.rack.now_s += 0.001
        for drive in self.drives:
            drive.step(0.001)
        return GATEWAY_TARGET_SILENT if unit in self.silent else 0

    def _serve(self):
        while not self._over.is_set():
            if select.select(self._server.readable, [], [], 0.02)[0]:
                self._server.read()

    def stop(self):
        """Answer nothing any more; connections stay."""
        self._over.set()
        self._thread.join(5.0)
        assert not self._thread.is_alive()

    def close(self):
        self.stop()
        for each in self._server.readable:
            each.close()


@pytest.fixture
def gateway():
    made = Gateway()
    yield made
    made.close()


def configured(gateway):
    map_ = register_map_from(tomllib.loads(SERVO_MAP.read_text()), "foreign_servo.toml")
    settings = ModbusSettings(
        six(CLOSED_M + 0.005), six(CLOSED_M + 0.735), six(0.5), six(6.0), six(4000.0),
        watchdog_s=0.3, setup_timeout_s=5.0, answer_timeout_s=2.0,
    )  # fmt: skip
    scales = (LegScale(1e6, 1, CLOSED_M + 0.03),) * 6
    bank = ModbusBank(
        parse_link(gateway.url), map_, scales, 0.1, settings=settings,
        now_s=lambda: 100.0 + gateway.rack.now_s,
    )  # fmt: skip
    bank.configure()
    bank.request(DriveGoal.HOMED)  # and in the middle of that it is left
    for _ in range(500):
        bank.exchange(None)
        if len(powered(gateway)) == len(gateway.drives):
            return bank
    raise AssertionError("not all of them look for their reference")


def powered(gateway):
    return [leg for leg, each in enumerate(gateway.drives, start=1) if each.state in POWERED]


def test_servos_under_power_are_switched_off_and_nobody_is_named(gateway):
    bank = configured(gateway)
    assert powered(gateway) == [1, 2, 3, 4, 5, 6]
    assert bank.close().powered == ()
    assert powered(gateway) == []


def test_a_servo_that_refuses_every_word_is_named(gateway):
    def deaf(index, sub, value):
        if index == 0x6040:
            raise AbortError(0x0800_0022)

    bank = configured(gateway)
    gateway.drives[3].objects.guards.append(deaf)
    (text,) = bank.close().powered
    assert text.startswith("leg 4 (unit 4): ")
    assert powered(gateway) == [4]


def test_a_servo_that_takes_every_word_and_stays_on_is_named_with_its_statusword(gateway):
    bank = configured(gateway)
    gateway.drives[3].objects.written.clear()
    (text,) = bank.close().powered
    assert text.startswith("leg 4 (unit 4): it is operation enabled (statusword 0x")
    assert powered(gateway) == [4]


def test_a_servo_that_needs_some_words_is_looked_at_until_it_is_off(gateway):
    bank = configured(gateway)
    objects, words = gateway.drives[3].objects, []
    [act] = objects.written

    def slow(index, sub, value):
        words.append(index)
        if words.count(0x6040) > 5:
            act(index, sub, value)

    objects.written[:] = [slow]
    assert bank.close().powered == ()
    assert powered(gateway) == []


def test_a_servo_that_does_not_answer_is_named_and_the_others_are_off(gateway):
    bank = configured(gateway)
    gateway.silent.add(2)
    assert [text[:14] for text in bank.close().powered] == ["leg 2 (unit 2)"]
    assert powered(gateway) == [2]


def test_all_servos_are_named_once_the_gateway_is_gone(gateway):
    bank = configured(gateway)
    gateway.close()
    end = bank.close()
    assert [text[:5] for text in end.powered] == [f"leg {leg}" for leg in range(1, 7)]
    assert powered(gateway) == [1, 2, 3, 4, 5, 6]


def test_all_servos_are_named_if_the_gateway_takes_words_and_answers_none(gateway):
    bank = configured(gateway)
    gateway.stop()
    end = bank.close()
    assert [text[:5] for text in end.powered] == [f"leg {leg}" for leg in range(1, 7)]
    assert powered(gateway) == [1, 2, 3, 4, 5, 6]
