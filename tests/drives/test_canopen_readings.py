"""Temperatures and loads that a drive file names: read beside the cycle, told above their limit."""

import dataclasses
import struct

import pytest
from canopen_bench import SETTINGS, six
from scripted_bench import ENABLED, Scripted
from scripted_nodes import ScriptedNode

from drives.bank import DriveReading, LegCommand
from drives.canopen.readings import EVERY_S
from drives.types.drive_type import DriveType, Reading

STAGE = Reading("temperature of the power stage", "3201h:1", "i16", 0.1, "degC", 85.0)
LOAD = Reading("I2t", "3200h:2", "u16", 1.0, "%", 90.0)
WARM = DriveType(name="warm", readings=(STAGE, LOAD))
ROUND_S = 2 * 6 * EVERY_S


class Deaf(ScriptedNode):
    """Answers no question of a reading while it is deaf."""

    deaf = False

    def sdo(self, data):
        return None if self.deaf and data[2] == 0x32 else super().sdo(data)


def warm(*lacking):
    made = Scripted(dataclasses.replace(SETTINGS, type=WARM))
    made.bus.nodes = [Deaf(node) for node in range(1, 7)]
    for node in made.bus.nodes:
        tell(node, 40.0, 10)
    for leg in lacking:
        made.node(leg).lacks = {(0x3200, 2)}
    return made


def tell(node, celsius, percent):
    node.objects[0x3201, 1] = struct.pack("<h", round(10.0 * celsius))
    node.objects[0x3200, 2] = struct.pack("<H", percent)


def after(made, span_s):
    end_s, command = made.time.now + span_s, None
    while made.time.now < end_s:
        feedback = made.bank.exchange(command)
    return feedback


def questions(made):
    return [frame for frame in made.bus.sent if frame.can_id >> 7 == 12 and frame.data[2] == 0x32]


def test_a_reading_above_its_limit_is_told_with_name_value_and_unit_until_it_is_below_again():
    made = warm()
    made.enabled()
    assert after(made, ROUND_S + 0.1).high == ()
    tell(made.node(4), 85.1, 91)
    load, stage = sorted(after(made, ROUND_S + 0.1).high, key=lambda each: each.name)
    assert load == DriveReading(4, "I2t", 91.0, 90.0, "%")
    assert stage == (4, STAGE.name, pytest.approx(85.1), 85.0, "degC")
    tell(made.node(4), 84.0, 90)
    assert len(after(made, ROUND_S + 0.1).high) == 2, "a value near its limit does not flap"
    tell(made.node(4), 83.0, 80)
    assert after(made, ROUND_S + 0.1).high == ()


def test_a_cold_machine_is_below_zero():
    made = warm()
    made.bank.configure()
    tell(made.node(1), -5.0, 0)
    assert after(made, ROUND_S + 0.1).high == ()


def test_questions_are_few_and_cost_the_motion_nothing():
    made = warm()
    length_m = made.enabled().length_m
    before, begin_s = len(questions(made)), made.time.now
    for _ in range(1000):
        feedback = made.bank.exchange(LegCommand(length_m, six(0.0)))
        assert feedback.fresh == (True,) * 6
        assert feedback.state == ENABLED
    asked = len(questions(made)) - before
    assert asked == pytest.approx((made.time.now - begin_s) / EVERY_S, abs=2)


def test_what_a_drive_lacks_is_said_at_its_leg_and_not_asked_for_again():
    made = warm(3)
    report = made.bank.configure()
    assert "I2t (3200h:2): not read" in report.axes[2]
    assert "not read" not in report.axes[1]
    after(made, 3 * ROUND_S)
    begin = len(questions(made))
    after(made, ROUND_S)
    asked = [(f.can_id, f.data[1]) for f in questions(made)[begin:]]
    assert (0x603, 0x00) not in asked
    assert (0x603, 0x01) in asked


def test_a_drive_that_does_not_answer_holds_nobody_up_and_is_asked_again():
    made = warm()
    made.enabled()
    made.node(2).deaf = True
    tell(made.node(6), 99.0, 0)
    assert [high.leg for high in after(made, 2 * ROUND_S).high] == [6]
    made.node(2).deaf = False
    tell(made.node(2), 99.0, 0)
    assert {high.leg for high in after(made, 2 * ROUND_S).high} == {2, 6}


def test_leaving_waits_for_the_answer_and_signs_every_drive_off():
    made = warm()
    made.enabled()
    while not made.raw._readings.busy:
        made.run(1)
    made.bank.close()
    assert [node.objects[0x1016, 1] for node in made.bus.nodes] == [bytes(4)] * 6
    assert all(node.nmt == 0x7F for node in made.bus.nodes)
