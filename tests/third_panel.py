"""A panel that shows a recording, as a process: what is in its docks, as JSON.

python third_panel.py RECORDING SETTINGS
"""

import json
import sys
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from hil.panel.scene.models.build import scenes_of
from hil.panel.shell.window import MainWindow
from hil.panel.study.models.replay import FileFeed
from hil.panel.study.session import ReplaySession


def shown(recording, settings):
    """What a window shows six seconds into a recording."""
    app = QApplication([])
    passed_s = [0.0]
    window = MainWindow(
        QSettings(settings, QSettings.Format.IniFormat), lambda: passed_s[0], "panel"
    )
    window.turns.timer.setInterval(1_000_000)  # it turns when it is told to
    window.show()
    feed = FileFeed.open(Path(recording), lambda: passed_s[0])
    window._take_on(ReplaySession(feed, window.now_s))
    views = {name: window.views[name] for name in window.views}
    window.seek(6.0)
    for _ in range(20):
        passed_s[0] += 0.05
        window.turns.turn()
        app.processEvents()
    (scene,) = scenes_of(feed.facts.header)
    bench = window.session.bench
    told = {
        "docks": sorted(views),
        "lit": [[lamp.name, lamp.role, lamp.shape.value] for lamp in bench.lamps if lamp.lit],
        "lamps": [lamp.name for lamp in bench.lamps],
        "bodies": [part.name for part in scene.build.parts],
        "drawn": [pane.scene.title for pane in views["scene"].widget.panes],
        "traces": [trace.name for trace in views["scope"].model.traces],
        "margins": [[row.name, row.words] for row in views["margins"].model.rows],
        "marks": [mark.message for mark in views["timeline"].model.marks],
    }
    window.shut()
    return told


if __name__ == "__main__":
    print(json.dumps(shown(*sys.argv[1:])))
