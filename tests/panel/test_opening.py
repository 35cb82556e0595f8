"""What ``hil panel`` would open, without a window."""

import json
import os
import socket
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from hil.cli import panel as cli_panel
from hil.cli.main import app
from hil.config.settings import ConfigError
from hil.desk.endpoints import Endpoint
from hil.panel.shell.models import start_view as opening
from hil.panel.shell.models.start_view import start_view_of


@pytest.fixture(autouse=True)
def no_benches(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def test_a_scenario_by_its_name_or_path():
    assert start_view_of("demo").what == "scenario"
    assert start_view_of("demo").station == "platform scenario"
    assert start_view_of("bkm_on_rm01").station == "arm scenario"
    assert start_view_of(str(start_view_of("demo").path)) == start_view_of("demo")


def test_a_run_by_its_folder_or_its_file(tmp_path):
    run = tmp_path / "demo-1"
    run.mkdir()
    file = run / "recording.mcap"
    file.touch()
    for given in (run, file, tmp_path):
        assert start_view_of(str(given)).what == "run"
        assert start_view_of(str(given)).path == file


def test_what_is_of_no_use_is_refused_with_what_would_be_right(tmp_path):
    with pytest.raises(ConfigError, match=r"no recording\.mcap in it; need the folder of a run"):
        start_view_of(str(tmp_path))
    with pytest.raises(ConfigError, match="no such file"):
        start_view_of(str(tmp_path / "none.mcap"))
    with pytest.raises(ConfigError, match="did you mean demo"):
        start_view_of("demmo")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "recording.mcap").touch()
    with pytest.raises(ConfigError, match="2 runs are in it; name one"):
        start_view_of(str(tmp_path))


def test_nothing_means_what_runs_else_the_scenarios(monkeypatch, tmp_path):
    assert start_view_of(None).what == "scenarios"
    first, second = (Endpoint(tmp_path / f"{k}.sock", "demo", k) for k in (1, 2))
    monkeypatch.setattr(opening, "benches", lambda: [first])
    assert (start_view_of(None).what, start_view_of(None).path) == ("bench", first.path)
    monkeypatch.setattr(opening, "benches", lambda: [first, second])
    assert start_view_of(None).what == "choice"
    assert start_view_of(None).benches == (first, second)


def test_json_says_what_would_be_opened_without_a_display():
    told = CliRunner().invoke(app, ["panel", "demo", "--json"])
    assert told.exit_code == 0
    assert json.loads(told.stdout) | {"path": ""} == {
        "format": 1, "ok": True, "opens": "scenario", "path": "", "station": "platform scenario",
        "benches": [],
    }  # fmt: skip
    assert CliRunner().invoke(app, ["panel", "demmo", "--json"]).exit_code == 2


def test_without_the_extra_it_says_how_it_is_had(monkeypatch):
    find = cli_panel.importlib.util.find_spec
    monkeypatch.setattr(
        cli_panel.importlib.util, "find_spec",
        lambda name: None if name == "pyqtgraph" else find(name),
    )  # fmt: skip
    told = CliRunner().invoke(app, ["panel", "demo"])
    assert told.exit_code == 2
    assert "the panel needs PySide6 and pyqtgraph: pip install hil-bench[panel]" in told.stderr
    assert "missing: pyqtgraph" in told.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="X servers are Linux's")
@pytest.mark.parametrize("display", ["", ":4711", "nonsense", ":", "127.0.0.1:9"])
def test_without_a_display_it_says_what_would_be_right(monkeypatch, display):
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", display)
    told = CliRunner().invoke(app, ["panel", "demo"])
    assert told.exit_code == 1
    assert "no display" in told.stderr
    assert "xvfb-run" in told.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="X servers are Linux's")
def test_a_display_that_answers_will_do(monkeypatch):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind("\0/tmp/.X11-unix/X4712")
        server.listen()
        monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
        monkeypatch.setenv("DISPLAY", ":4712")
        cli_panel.require_display()


def test_neither_cli_nor_models_load_qt():
    code = (
        "import sys, hil.cli.main, pkgutil, importlib, hil.panel as panel\n"
        "for found in pkgutil.walk_packages(panel.__path__, 'hil.panel.'):\n"
        "    if '.models.' in found.name:\n"
        "        importlib.import_module(found.name)\n"
        "import hil.panel.live.session\n"
        "assert not [name for name in sys.modules if name.startswith(('PySide6', 'pyqtgraph'))]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ, timeout=60)
