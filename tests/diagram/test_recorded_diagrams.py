"""A diagram's run recorded: every tick, what was pressed, why it stopped; read as any run."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.panel.scene.models.build import SceneError, scenes_of
from hil.recording.reader import Recording

LAW = """format = 1
base_s = 0.01
[block]
"Force" = { kind = "In", shape = [2], unit = "N" }
"gain" = { kind = "PanelSlider", value = 1.0, high = 4.0 }
"y" = { kind = "Scale" }
"whole" = { kind = "Integral" }
"U" = { kind = "Out", unit = "N*s" }
"u" = { kind = "Out" }
[wire]
"y.k" = "gain.y"
"y.u" = "Force.y"
"whole.u" = "y.y"
"U.u" = "whole.y"
"u.u" = "gain.y"
"""


def hil(*arguments):
    done = CliRunner().invoke(app, ["diagram", "run", *map(str, arguments), "--json"])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, json.loads(done.stdout)


@pytest.fixture
def law(tmp_path):
    path = tmp_path / "law.toml"
    path.write_text(LAW)
    return path


def test_every_tick_is_recorded_with_units_and_what_was_slid(law, tmp_path):
    status, told = hil(law, "--for", "1", "--input", "Force=2,-3", "--slide", "gain=2.5@0.5",
                       "--record", tmp_path / "runs")  # fmt: skip
    assert (status, told["ok"]) == (0, True)
    recording = Recording.open(Path(told["recording"]))
    assert recording.cycles == 100
    assert np.array_equal(recording.t_s, 0.01 * np.arange(100))
    gain = np.where(np.arange(100) < 50, 1.0, 2.5)
    assert np.array_equal(recording.column("u_2"), gain)
    assert np.array_equal(recording.column("force"), np.tile([2.0, -3.0], (100, 1)))
    speed = gain[:, None] * np.array([2.0, -3.0])
    whole = np.vstack([np.zeros(2), np.cumsum(0.005 * (speed[1:] + speed[:-1]), axis=0)])
    np.testing.assert_allclose(recording.column("u"), whole, atol=1e-12)
    units = {one.name: one.unit for one in recording.header.signals.fields}
    assert (units["u"], units["force"]) == ("N*s", "N")
    (event,) = [one for one in recording.events if one.name == "diagram"]
    assert event.message == "gain.value: 1.0 -> 2.5"
    assert event.index == 50
    assert recording.header.scenario["diagram"] == LAW
    assert told["outputs"]["U"] == recording.column("u")[-1].tolist()


def test_what_stopped_it_is_recorded_and_a_page_is_made_of_it(law, tmp_path):
    law.write_text(LAW.replace('"whole" = { kind = "Integral" }', '"whole" = { kind = "Divide" }')
                   .replace('"whole.u" = "y.y"', '"whole.u1" = "y.y"\n"whole.u2" = "Force.y"')
                   .replace(', unit = "N*s" }', " }"))  # fmt: skip
    status, told = hil(law, "--for", "1", "--input", "Force=2,0", "--record", tmp_path / "runs")
    assert status == 1
    assert told["stop"]["block"] == "whole"
    recording = Recording.open(Path(told["recording"]))
    assert recording.cycles == 0
    assert "whole" in recording.events[-1].message
    law.write_text(LAW)
    _, told = hil(law, "--for", "1", "--input", "Force=2,0", "--record", tmp_path / "runs")
    done = CliRunner().invoke(app, ["report", told["recording"]])
    assert done.exit_code == 0, done.output
    page = next(tmp_path.rglob("*.html")).read_text()
    assert "no machine took part in this run" in page
    assert "not installed" not in page
    with pytest.raises(SceneError, match="no machine took part"):
        scenes_of(Recording.open(Path(told["recording"])).header)
    done = CliRunner().invoke(app, ["export", told["recording"]])
    assert done.exit_code == 0, done.output


def test_without_the_option_nothing_is_recorded(law, tmp_path):
    _, told = hil(law, "--for", "0.1", "--input", "Force=2,0")
    assert told["recording"] == ""
    (tmp_path / "file").write_text("")
    done = CliRunner().invoke(
        app, ["diagram", "run", str(law), "--input", "Force=2,0", "--record",
              str(tmp_path / "file" / "runs")],
    )  # fmt: skip
    assert done.exit_code == 2
