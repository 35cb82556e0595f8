"""A desk that dies beside a run is written down, and the next one can lead the platform home."""

import os
import signal

from desk_processes import desk_number
from test_end_to_end import NOW_S, Panel, bench, engage_and_play, pytestmark  # noqa: F401 real_time

from hil.desk import messages as m
from hil.desk.endpoints import benches
from hil.desk.watch import EVERY, DeskWatch
from hil.recording.reader import Recording
from hil.timing.clock import Tick


class Desk:
    """A desk with something to tell."""

    def __init__(self, *news):
        self.waiting, self.asked, self.running = list(news), 0, False

    def news(self):
        self.asked += 1
        return self.waiting.pop(0) if self.waiting else ""


def test_what_becomes_of_the_desk_is_noted_once_and_seldom_asked():
    noted, desk = [], Desk("it died", "it lives")
    watch = DeskWatch(desk, lambda *note: noted.append(note))
    for index in range(10 * EVERY):
        watch.update(Tick(index, 0.004 * index, 0.004, 0.0))
    assert desk.asked == 10
    assert [(tick.index, *rest) for tick, *rest in noted] == [
        (EVERY - 1, "operator's desk: it died", {"desk": False}),
        (2 * EVERY - 1, "operator's desk: it lives", {"desk": False}),
    ]


def test_a_platform_whose_desk_died_aloft_can_be_parked_by_a_new_panel(bench):  # noqa: F811
    process, panel, folder = bench
    panel.until_mode("IDLE")
    engage_and_play(panel)
    os.kill(desk_number(process.pid), signal.SIGKILL)
    panel.until_mode("HOLD")  # telemetry is memory: it can still be read
    end_s = NOW_S() + 20.0
    while not (found := benches(folder / "runtime" / "hil-bench")):
        assert NOW_S() < end_s
        panel.turn()
    again = Panel(found[0].path)
    again.client.send(m.Take())
    again.until_mode("HOLD")
    again.grip()
    again.press("shut_down")
    while again.modes[-1][1] != "OFF":
        begun, end_s = len(again.modes), NOW_S() + 3.0
        again.until(lambda: len(again.modes) > begun or NOW_S() > end_s)  # noqa: B023
        if again.modes[-1][1] == "HOLD":
            again.grip()
            again.press("park")
    out, errors = process.communicate(timeout=30)
    assert process.returncode == 0, errors
    assert b'"outcome":"completed"' in out.replace(b" ", b"")
    recording = Recording.open(next(folder.glob("runs/*/*.mcap")))
    told = [event.message for event in recording.events if event.name == "operator"]
    assert "operator's desk: the desk has died (exit status -9)" in told
    assert "operator's desk: a new desk has begun: panels can connect again" in told
    assert "PARKING" in [name for _, name in again.modes]
    again.client.close()
