"""Pictures of the panel for the documents, drawn from runs that are made for them.

    python tests/tools/panel_pictures.py docs/pictures

Needs a display with OpenGL, such as `xvfb-run` gives. The runs are real ones on simulated drives:
an operated one that trips a limit, and recordings of both stations on the virtual clock.
"""

import argparse
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from PySide6.QtCore import QSettings, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from hil.config.file_search import find_file
from hil.desk.endpoints import benches
from hil.ipc.child import DEVNULL, start_child
from hil.panel.lead.lamps_view import LampsRow
from hil.panel.scenarios.scenarios_view import ScenariosView
from hil.panel.scene.view import SceneView
from hil.panel.shell.models.start_view import StartView
from hil.panel.shell.window import MainWindow
from hil.panel.study.session import ReplaySession
from hil.timing.realtime import RealClock

SMALL: Final = QSize(1366, 768)
LARGE: Final = QSize(1920, 1080)
TALL: Final = QSize(1366, 1200)
LARGE_SCALE: Final = 2
"""1920 x 1080 places at two pixels each: a 4K screen as people use it."""
WAIT_MAX_S: Final = 90.0
LED_S: Final = 1.5
"""Motion that has been played where a picture is taken [s]."""
TRIES: Final = 5
_LED: Final = """\
name = "too_far"
rig = "paper"
clock = "real"
rate_hz = 100.0
check_first = false

[motion]
kind = "multi_sine"
duration_s = 60.0
fade_s = 1.0
terms = [
    { axis = "z", amplitude_m = 0.36, frequency_hz = 0.10 },
    { axis = "x", amplitude_m = 0.12, frequency_hz = 0.25 },
]
"""
_NEXT: Final = {
    "IDLE": Qt.Key.Key_F2,
    "STANDBY": Qt.Key.Key_F3,
    "HOLD": Qt.Key.Key_F6,
    "ENGAGED": Qt.Key.Key_F4,
    "FAULT": Qt.Key.Key_F7,  # of a machine that was too busy
}
"""What an operator presses next."""


def run(arguments: list[str], environment: Mapping[str, str] | None = None) -> None:
    """Run a program to its end; raise if that is a bad one."""
    with start_child(
        arguments, stdout=DEVNULL, own_session=False, environment=environment
    ) as child:
        if child.wait():
            raise RuntimeError(f"{arguments} ended with status {child.returncode}")


class Studio:
    """An application with one window at a time."""

    def __init__(self, out: Path, work: Path) -> None:
        self._out, self._work = out, work
        self._app = QApplication.instance() or QApplication([])
        self._now_s = RealClock().now_s
        self.window = self._window("light")

    def _window(self, theme: str) -> MainWindow:
        settings = QSettings(str(self._work / f"{theme}.ini"), QSettings.Format.IniFormat)
        settings.setValue("window/theme", theme)
        window = MainWindow(settings, self._now_s, "operator")
        window.resize(SMALL)
        window.show()
        return window

    def anew(self, theme: str = "light") -> None:
        """Another window in place of the one before."""
        self.window.shut()
        self.window.deleteLater()
        self.window = self._window(theme)

    def wait(self, until: Callable[[], bool] = lambda: False, most_s: float = WAIT_MAX_S) -> bool:
        """Let the window work until something is so; say whether it is."""
        end_s = self._now_s() + most_s
        while self._now_s() < end_s:
            self._app.processEvents()
            if until():
                return True
            self._app.thread().msleep(2)
        return False

    def take(
        self, name: str, size: QSize = SMALL, shows: Callable[[], bool] = lambda: True,
        part: str = "",
    ) -> bool:  # fmt: skip
        """Take a picture of the window, with all its views, and keep it if it is a true one.

        Args:
            shows: whether the window shows what the picture is for, asked before and after.
            part: view that the picture is of; empty: the whole window.

        Returns:
            Whether it was so.
        """
        if not self.wait(lambda: self.window.views.complete):
            raise TimeoutError(f"the views for {name} were not made")
        self.window.resize(size)
        self.window.docks.settle(run=self.window.session is not None)
        self.wait(most_s=1.5)
        path = self._out / f"panel_{name}.png"
        if not shows():
            return False
        picture = (self.window.views[part].widget if part else self.window).grab()
        if not shows():
            return False
        if not picture.save(str(path)):
            raise OSError(f"{path}: cannot be written")
        print(path)
        return True

    def key(self, key: Qt.Key, *, released: bool = False) -> None:
        """Press a key, or let it go."""
        kind = QKeyEvent.Type.KeyRelease if released else QKeyEvent.Type.KeyPress
        self._app.sendEvent(self.window, QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier))

    # --- the runs -------------------------------------------------------------------------------

    def live_and_fault(self) -> None:
        """A person leads a bench until a limit trips."""
        scenario = self._work / "too_far.toml"
        scenario.write_text(_LED)
        bench = start_child(
            ["-m", "hil.cli", "run", str(scenario), "--operator", "--json",
             "--out", str(self._work / "runs")],
            stdout=DEVNULL, own_session=False,
        )  # fmt: skip
        try:
            if not self.wait(lambda: any(one.pid == bench.pid for one in benches())):
                raise TimeoutError("the bench did not start")
            place = next(one for one in benches() if one.pid == bench.pid)
            self.window.connect_to(place.path, take=True)
            self.window.docks.show("margins")
            self._take_led("live", self._is_led, lambda: self._operation_t_s() > LED_S)
            if not self.wait(lambda: self._mode() == "FAULT", 15.0):
                self._lead_until(lambda: self._mode() == "FAULT")  # a stall had let go
            self.window.docks.show("faults")
            self._take_led("fault", lambda: self._is_lit("FAULT"), None)
        finally:
            bench.terminate()
            bench.wait(60.0)

    def _take_led(
        self, name: str, shows: Callable[[], bool], until: Callable[[], bool] | None
    ) -> None:
        """Take a picture of a bench that a person leads; of one that stalled, once more."""
        for _ in range(TRIES):
            if until is not None:
                self._lead_until(until)
            if self.take(name, shows=shows):
                return
        raise TimeoutError(f"the picture {name} is not true: the bench is in {self._mode()}")

    def _is_led(self) -> bool:
        """Whether the window shows a bench that is engaged, held, and plays."""
        return self._is_lit("ENGAGED") and self._held() and self._operation_t_s() > 0.0

    def _is_lit(self, mode: str) -> bool:
        """Whether the bench is in a mode, and the window's lamps say so."""
        lamps = self.window.findChild(LampsRow)
        return (
            isinstance(lamps, LampsRow)
            and lamps.accessibleName().endswith(mode)
            and self._mode() == mode
        )

    def _mode(self) -> str:
        session = self.window.session
        return (session.bench.mode or "") if session is not None else ""

    def _held(self) -> bool:
        session = self.window.session
        return session is not None and session.bench.operation.held

    def _operation_t_s(self) -> float:
        session = self.window.session
        playing = session is not None and session.bench.operation.playing == "play"
        return session.bench.operation.motion_t_s if session is not None and playing else 0.0

    def _lead_until(self, done: Callable[[], bool]) -> None:
        """Hold to run, and press what comes next, until it is done."""
        for _ in range(60):
            session = self.window.session
            if session is None or session.ended:
                break
            if not self._held():
                self.key(Qt.Key.Key_Space, released=True)
                self.wait(most_s=0.1)
                self.key(Qt.Key.Key_Space)
                self.wait(self._held, 0.5)
            if (key := _NEXT.get(self._mode())) is not None and not self._operation_t_s():
                self.key(key)
            if self.wait(done, 1.0):
                return
        raise TimeoutError(f"the bench is in {self._mode()}")

    @property
    def shows_preview(self) -> bool:
        """Whether a scenario that was picked is drawn."""
        widget = self.window.views["scene"].widget
        return isinstance(widget, SceneView) and bool(widget.panes)

    def record(self, scenario: str) -> Path:
        """Run a scenario as fast as it goes; the folder of its run."""
        folder = self._work / scenario
        run(["-m", "hil.cli", "run", scenario, "--out", str(folder), "--clock", "virtual"])
        return next(folder.iterdir())

    def show(self, run: Path, share: float) -> None:
        """Replay a recording, as it was after a share of its time."""
        self.window.replay(run)
        self.wait(lambda: not self.window.reading.busy)
        session = self.window.session
        if isinstance(session, ReplaySession):
            feed = session.feed
            feed.seek(feed.span_s[0] + share * (feed.span_s[1] - feed.span_s[0]))


def take_robot(studio: Studio) -> None:
    """A picture of a robot in the form, with something wrong in a cell."""
    studio.anew()
    file = find_file("robot_a", folder="world/robots", key="picture")
    studio.window.open(StartView("scenarios", file))
    studio.wait(lambda: studio.shows_preview, most_s=WAIT_MAX_S)
    widget = studio.window.views["scenarios"].widget
    if isinstance(widget, ScenariosView):
        grid = widget.form.grids["link"]
        at = grid.cell_of(("link", 3, "size_m"))
        widget.form.type_in(("link", 3, "size_m"), "0.05, zero")
        grid.setCurrentCell(*at if at is not None else (0, 0))
        studio.wait(lambda: bool(widget.form.model and widget.form.model.problems), most_s=5.0)
    studio.take("robot")


def take_workspace(studio: Studio) -> None:
    """A picture of a rig in the form, with its map and its proof."""
    studio.anew()
    file = find_file("paper", folder="rigs", key="picture")
    studio.window.open(StartView("scenarios", file))
    widget = studio.window.views["scenarios"].widget
    if isinstance(widget, ScenariosView):
        page = widget.workspace
        widget.form.pages.setCurrentWidget(page)
        studio.wait(lambda: page.work.busy, most_s=5.0)
        studio.wait(lambda: not page.work.busy)
    studio.take("workspace", TALL, part="scenarios")


def large(out: Path, run: Path) -> None:
    """A picture for a 4K screen, by a process that draws two pixels for one."""
    command = [__file__, str(out), "--large", str(run)]
    run(command, environment={"QT_SCALE_FACTOR": str(LARGE_SCALE)})


def take_large(out: Path, run: Path) -> None:
    """What that process does."""
    with tempfile.TemporaryDirectory() as work:
        studio = Studio(out, Path(work))
        studio.show(run, 0.5)
        studio.window.docks.show("margins")
        studio.take("4k", LARGE)
        studio.window.shut()


def make(out: Path) -> None:
    """Make all pictures."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        studio = Studio(out, Path(work))
        studio.live_and_fault()
        demo = studio.record("demo")
        studio.anew()
        studio.show(demo, 0.5)
        studio.take("replay")
        studio.anew()
        studio.window.open(
            StartView("scenarios", find_file("demo", folder="scenarios", key="picture"))
        )
        studio.wait(lambda: studio.shows_preview, most_s=WAIT_MAX_S)
        studio.take("scenarios")
        take_robot(studio)
        take_workspace(studio)
        studio.anew("dark")
        studio.show(demo, 0.35)
        studio.window.docks.show("margins")
        studio.take("dark")
        studio.anew()
        studio.show(studio.record("bkm_on_rm01"), 0.6)
        studio.window.docks.show("margins")
        studio.take("arm")
        studio.window.shut()
        large(out, demo)  # last: without a graphics card it may take longer than is waited for


def main() -> None:
    """Entry point of the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path, help="folder for the pictures")
    parser.add_argument("--robot", action="store_true", help="only that of a robot in the form")
    parser.add_argument("--workspace", action="store_true", help="only that of a rig in the form")
    parser.add_argument("--large", type=Path, metavar="RUN", help="only the 4K picture of a run")
    arguments = parser.parse_args()
    if arguments.robot or arguments.workspace:
        with tempfile.TemporaryDirectory() as work:
            studio = Studio(arguments.out, Path(work))
            (take_robot if arguments.robot else take_workspace)(studio)
            studio.window.shut()
    elif arguments.large is None:
        make(arguments.out)
    else:
        take_large(arguments.out, arguments.large)


if __name__ == "__main__":
    main()
