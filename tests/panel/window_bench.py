"""A bench in a process of its own, and a window that leads it by keys and clicks.

As a program (`python window_bench.py RUNTIME SETTINGS`) it is a panel that waits for the bench in
that runtime folder, engages and plays, to be frozen from outside.
"""

import os
import subprocess
import sys
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from bench_plans import HEAVE, PAPER
from PySide6.QtCore import QSettings, Qt, QThread
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from hil.desk.endpoints import benches
from hil.desk.run_end import EndStep
from hil.panel.shell.window import MainWindow
from hil.timing.realtime import RealClock

NOW_S = RealClock().now_s
Key = Qt.Key
HOME, ENGAGE, PLAY, PARK, RESET, TAKE = (
    Key.Key_F2, Key.Key_F3, Key.Key_F4, Key.Key_F6, Key.Key_F7, Key.Key_F9,
)  # fmt: skip
QUICK = [
    f"--set=rig_settings.slow_moves.{key}"
    for key in ("speed_m_s=0.3", "acceleration_m_s2=1.0", "jerk_m_s3=8.0")
]
"""Rises in two seconds instead of five: there is nobody on the platform."""
NEXT = {"IDLE": HOME, "STANDBY": ENGAGE, "HOLD": PARK, "FAULT": RESET}
"""What is pressed on the way to ENGAGED."""


def scenario_text(motion=None, rate_hz=100.0, **keys):
    """A scenario for an operator, as a file."""
    motion = HEAVE | {"duration_s": 60.0} if motion is None else motion
    terms = ", ".join(
        "{" + ", ".join(f"{key} = {value!r}" for key, value in term.items()) + "}"
        for term in motion["terms"]
    )
    more = "".join(f"{key} = {value}\n" for key, value in keys.items())
    return (
        f'name = "led"\nrig = "{PAPER}"\nclock = "real"\nrate_hz = {rate_hz}\n'
        f'check_first = false\n{more}[motion]\nkind = "multi_sine"\n'
        f"duration_s = {motion['duration_s']}\nfade_s = {motion['fade_s']}\nterms = [{terms}]\n"
    )


def socket_in(place, between=lambda: None):
    """The socket of the only bench in a runtime folder, once it is there."""
    end_s = NOW_S() + 60.0
    while not (found := benches(place / "hil-bench")):
        assert NOW_S() < end_s
        between()
        QThread.msleep(20)
    return found[0].path


class Bench:
    """`hil run --operator` on simulated drives, in a folder of its own."""

    def __init__(self, folder, text=None):
        self.folder = folder
        self.place = folder / "runtime"
        self.place.mkdir(mode=0o700)
        scenario = folder / "led.toml"
        scenario.write_text(text or scenario_text())
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hil.cli", "run", str(scenario), "--operator", "--json",
             "--out", str(folder / "runs"), *QUICK],
            env=os.environ | {"XDG_RUNTIME_DIR": str(self.place)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    @cached_property
    def socket(self):
        """That of its desk, once it is there."""

        def lives():
            assert self.process.poll() is None, self.process.communicate()

        return socket_in(self.place, lives)

    def recording(self):
        """The file of its run."""
        return next(self.folder.glob("runs/*/*.mcap"))

    def end(self):
        """End it if it still runs."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.communicate(timeout=30)


class Operator:
    """A window and the one before it.

    Args:
        app: the application.
        folder: for its settings.
        name: under which others see it.
        seen: docks that are seen, all unless given; what is not drawn costs no time.
    """

    def __init__(self, app, folder, name="operator", *, seen=None):
        self.app = app
        self.window = MainWindow(
            QSettings(str(folder / f"{name}.ini"), QSettings.Format.IniFormat), NOW_S, name
        )
        self.window.show()
        while not self.window.views.complete:
            self.app.processEvents()
        for dock, there in self.window.docks.of.items() if seen is not None else ():
            there.setVisible(dock in seen)
        self.modes = []  # (monotonic time it was seen [s], name)

    @property
    def model(self):
        """State of the bench that is shown."""
        return self.window.session.bench

    def watch(self, path, **more):
        """Connect."""
        assert self.window.connect_to(path, **more), self.window.statusBar().currentMessage()

    def turn(self):
        """Let Qt work, and note the mode."""
        self.app.processEvents()
        mode = self.model.mode
        if mode is not None and (not self.modes or self.modes[-1][1] != mode):
            self.modes.append((NOW_S(), mode))

    def until(self, condition, time_s=20.0):
        """Turn until it holds."""
        end_s = NOW_S() + time_s
        while not condition():
            assert NOW_S() < end_s, f"{self.modes} {self.model.operation} {self.model.refused!r}"
            self.turn()
            self.app.thread().msleep(1)

    def until_mode(self, *names):
        """Turn until the bench is in one of these modes."""
        self.until(lambda: self.model.mode in names)

    def press(self, key, modifiers=Qt.KeyboardModifier.NoModifier):
        """Press a key once."""
        QTest.keyClick(self.window, key, modifiers)

    def press_until(self, key, mode):
        """Press a key with the space bar held, again if a stall of the machine spoilt it."""
        for _ in range(6):
            self.grip()
            self.press(key)
            end_s = NOW_S() + 3.0
            self.until(lambda: self.model.mode == mode or NOW_S() > end_s)  # noqa: B023
            if self.model.mode == mode:
                return
        raise AssertionError(f"{self.modes} {self.model.refused!r}")

    def let_go(self):
        """Release the space bar."""
        QTest.keyRelease(self.window, Key.Key_Space)

    def grip(self):
        """Hold the space bar, anew if a stall of the machine has released it."""
        while not self.model.operation.held:
            self.let_go()
            begun_s = NOW_S()
            self.until(lambda: NOW_S() - begun_s > 0.08)  # noqa: B023  the release must be told
            QTest.keyPress(self.window, Key.Key_Space)
            end_s = NOW_S() + 0.4
            self.until(lambda: self.model.operation.held or NOW_S() > end_s)  # noqa: B023

    def settled(self):
        """Nothing goes on by itself any more, and the drives had their time to be enabled."""
        quiet = NOW_S() - self.modes[-1][0] > 0.5
        return quiet and self.model.mode in ("IDLE", "STANDBY", "HOLD", "ENGAGED", "FAULT")

    def engage(self):
        """From wherever it stands to ENGAGED, with the space bar held."""
        for _ in range(12):
            self.grip()
            mode = self.model.mode
            if mode == "ENGAGED" and self.model.operation.held:
                return
            if mode in NEXT:
                self.press(NEXT[mode])
            pressed_s = NOW_S()
            self.until(lambda: NOW_S() - pressed_s > 0.3 and self.settled())  # noqa: B023
        raise AssertionError(f"{self.modes} {self.model.refused!r}")

    def play(self):
        """From wherever it stands to a motion that is being played."""
        for _ in range(12):
            self.engage()
            self.press(PLAY)
            end_s = NOW_S() + 3.0
            self.until(
                lambda: (
                    self.model.operation.motion_t_s > 0.2
                    or self.model.mode != "ENGAGED"
                    or NOW_S() > end_s  # noqa: B023
                )
            )
            if self.model.operation.playing == "play":
                return
        raise AssertionError(f"{self.modes} {self.model.refused!r}")

    def end_run(self):
        """Shut down; park out of HOLD, also where a stall of the machine has let go meanwhile."""
        self.until(lambda: self.model.you_own)
        self.grip()
        self.press(Key.Key_F10, Qt.KeyboardModifier.ControlModifier)
        self.until_over()

    def until_over(self, look=lambda: None, time_s=40.0):
        """Turn until the run is over, parking out of HOLD once the run's end waits for it."""
        end_s = NOW_S() + time_s
        while not self.window.session.ended:
            assert NOW_S() < end_s, f"{self.modes} {self.model.operation}"
            self.turn()
            look()
            end = self.model.operation.end
            if self.model.mode == "HOLD" and end is not None and end.step is EndStep.AWAITING_PARK:
                self.grip()
                self.press(PARK)
            self.app.thread().msleep(1)

    def close(self):
        """Close the window without being asked about the motion."""
        self.window.shut()
        self.window.deleteLater()
        self.app.processEvents()


@contextmanager
def makers(app, folder, kind, **always):
    """What begins a bench, and what begins a window; whatever was begun is ended.

    Args:
        app: the application.
        folder: for what they write.
        kind: of operator.
        always: what each window is begun with, unless its test says otherwise.
    """
    begun = []

    def bench(text):
        begun.append(Bench(folder, text))
        return begun[-1]

    def operator(name="operator", **more):
        begun.append(kind(app, folder, name, **always | more))
        return begun[-1]

    try:
        yield bench, operator
    finally:
        for one in reversed(begun):
            one.close() if isinstance(one, Operator) else one.end()


def main():
    """Engage, play, and go on until the end."""
    app = QApplication([])
    operator = Operator(app, Path(sys.argv[2]), "frozen")
    operator.watch(socket_in(Path(sys.argv[1])), take=True)
    operator.until(lambda: operator.model.you_own and operator.model.mode is not None)
    operator.play()
    while not operator.window.session.ended:
        operator.turn()
        app.thread().msleep(1)


if __name__ == "__main__":
    main()
