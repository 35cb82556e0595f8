"""What `hil check` and `hil run` say of a motion that does not fit: a command that makes it fit."""

import json
import re
import shlex

import numpy as np
import pytest
from bench_plans import PAPER, plan
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.settings import ConfigError
from hil.recording.reader import Recording
from hil.stations.platform.fit.bounds import MotionBounds
from hil.stations.platform.motion.build import motion_of
from hil.stations.platform.scenario import Plan
from platform6dof.pose import PlatformSetpoint

pytestmark = pytest.mark.usefixtures("unpainted")
runner = CliRunner()
RIG = ["--rig", PAPER]
QUICKLY = ["--set", "rate_hz=50", "--set", "motion.fade_s=1"]
for key, value in {"speed_m_s": 0.4, "acceleration_m_s2": 1.0, "jerk_m_s3": 10}.items():
    QUICKLY += ["--set", f"rig_settings.slow_moves.{key}={value}"]
T_S = np.arange(0.0, 3.0, 0.02)


def sine(amplitude, frequency_hz):
    return amplitude * np.sin(2.0 * np.pi * frequency_hz * T_S)


def record(folder, **columns):
    """A CSV file of columns over `T_S`."""
    path = folder / "record.csv"
    names = ["t_s", *columns]
    rows = np.column_stack([T_S, *columns.values()])
    path.write_text("\n".join([",".join(names), *(",".join(map(repr, r)) for r in rows.tolist())]))
    return path


def hil(*arguments, status):
    result = runner.invoke(app, [str(one) for one in arguments])
    assert result.exit_code == status, result.output + repr(result.exception)
    return result.stdout


def as_json(*arguments, status):
    return json.loads(hil(*arguments, "--json", status=status))


def pasted(command, status):
    """Run a command as a person would who copies it."""
    words = shlex.split(command)
    assert words[0] == "hil"
    return hil(*words[1:], status=status)


def larger(command, factor=1.05):
    """The same command with more of the motion."""
    found = re.search(r"motion\.scale=(\S+)", command)
    return command.replace(found[0], f"motion.scale={float(found[1]) * factor!r}")


UNFIT = {
    "too far": {"x_m": sine(0.5, 0.5), "z_m": sine(0.1, 0.7)},
    "too fast": {"y_m": sine(0.05, 3.0)},
    "too steep": {"beta_deg": sine(60.0, 0.4), "gamma_deg": sine(15.0, 0.5)},
}


@pytest.mark.parametrize("name", UNFIT)
def test_the_command_fits_and_a_twentieth_more_does_not(name, tmp_path):
    told = hil("check", *RIG, "--motion", record(tmp_path, **UNFIT[name]), *QUICKLY, status=1)
    lines = told.splitlines()
    assert lines[0].startswith("refused")
    command = lines[lines.index("which is, to paste:") + 1]
    assert pasted(command, 0).startswith("ok")
    assert pasted(larger(command), 1).startswith("refused")
