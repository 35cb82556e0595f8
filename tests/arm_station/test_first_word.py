"""What a robot says first may be a repeat of what it said before: it tells no place."""

import pytest

from arm_driver.link_states import StreamResult
from hil.stations.arm.run.bench import run_arm
from sim.devices.arm.controller import ArmController
from sim.devices.arm.protocol import ArmStatus


def begin_with(monkeypatch, words):
    """The first words of the robot are these, without its place; then it asks as ever."""
    ask, left = ArmController._ask, list(words)

    def asked(self, now_s):
        settings, status = self._settings, left.pop(0) if left else None
        if status is None:
            return ask(self, now_s)
        send = self._send

        def placeless(_, at_s, *, with_position):
            send(status, at_s, with_position=False)

        self._send = placeless
        try:
            return ask(self, now_s)
        finally:
            self._send = send
            assert settings.feedback

    monkeypatch.setattr(ArmController, "_ask", asked)


@pytest.mark.parametrize(
    "words",
    [
        [ArmStatus.RUNNING],
        [ArmStatus.AT_REST],
        [ArmStatus.CHECKSUM],
        [ArmStatus.RUNNING, ArmStatus.CHECKSUM],
    ],
)
def test_a_repeat_as_the_first_word_waits_for_one_more(
    prepared, line, tmp_path, monkeypatch, words
):
    begin_with(monkeypatch, words)
    result = run_arm(prepared, tmp_path)
    assert result.end.result is StreamResult.COMPLETED, result.end.reason
    assert len(line.waypoints) == len(prepared.steps)


def test_a_robot_that_never_tells_its_place_is_refused_soon(prepared, line, tmp_path, monkeypatch):
    begin_with(monkeypatch, [ArmStatus.RUNNING] * 50)
    result = run_arm(prepared, tmp_path)
    assert not result.ok
    assert "where the robot is, is not known: switch its option feedback on" in result.end.reason
    assert not line.answers
