"""The picture of the editor for the documents: a law that moves a robot, watched.

    python tests/tools/diagram_picture.py docs/pictures

Needs a display, such as `xvfb-run` gives. The run is a real one, of simulated drives.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QApplication

from hil.config.file_search import configs_dir
from hil.diagram.run.tap_reader import find_tapped_laws
from hil.ipc.child import DEVNULL, start_child
from hil.panel.diagram.models.document import Document
from hil.panel.diagram.window import DiagramWindow
from hil.panel.widgets.theme import LIGHT, apply
from hil.timing.realtime import RealClock

LAW: Final = "force_wrist"
RUN: Final = "press"
WATCHED: Final = "f_error"
WAIT_MAX_S: Final = 60.0
SEEN_S: Final = 4.5
"""Time of the run that is seen [s]: past a reset of the integrals."""


def take(out: Path) -> Path:
    """Take the picture; its file."""
    app = QApplication.instance() or QApplication([])
    if isinstance(app, QApplication):
        apply(app, LIGHT)
    now_s = RealClock().now_s
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / f"{LAW}.toml"
        shutil.copy(configs_dir() / "diagrams" / path.name, path)
        bench = start_child(
            ["-m", "hil.cli", "run", RUN, "--clock", "real", "--json", "--out", work],
            stdout=DEVNULL, own_session=False,
        )  # fmt: skip
        window = DiagramWindow(Document(path))
        window.show()
        end_s = now_s() + WAIT_MAX_S
        while not any(one.run == RUN for one in find_tapped_laws()):
            if now_s() > end_s:
                raise TimeoutError(f"{RUN} did not begin within {WAIT_MAX_S:g} s")
            app.processEvents()
            app.thread().msleep(10)
        window.view.fit()  # its docks have found their sizes
        window.live.watch()
        window.scene.choose(frozenset({WATCHED}))
        end_s = now_s() + WAIT_MAX_S
        while (seen := window.live.source) is None or seen.tick * seen.base_s < SEEN_S:
            if now_s() > end_s:
                raise TimeoutError(f"{RUN} did not come to {SEEN_S:g} s within {WAIT_MAX_S:g} s")
            app.processEvents()
            app.thread().msleep(5)
        picture = out / "diagram_live.png"
        if not window.grab().save(str(picture)):
            raise OSError(f"{picture}: cannot be written")
        window.close()
        bench.end(WAIT_MAX_S)
    return picture


def main() -> None:
    """Entry point of the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path, help="folder for the picture")
    print(take(parser.parse_args().out))


if __name__ == "__main__":
    main()
