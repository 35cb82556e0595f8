"""The robot of one's own of docs/world.md: its lines and its commands, as they stand there."""

import json
import math
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hil.cli.main import app

PAGE = (Path(__file__).parents[2] / "docs" / "world.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## A robot of one's own\n")[2].partition("\n## ")[0]


def told(line):
    done = CliRunner().invoke(app, [*shlex.split(line)[1:], "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_ten_lines_of_the_page_are_a_robot_that_runs(tmp_path, monkeypatch):
    (document,) = re.findall(r"```toml\n(.*?)```", SECTION, re.DOTALL)
    (commands,) = re.findall(r"```\n(hil .*?)```", SECTION, re.DOTALL)
    assert len(document.splitlines()) <= 11
    monkeypatch.chdir(tmp_path)
    Path("my_robot.toml").write_text(document, encoding="utf-8")
    checked, placed, ran = map(told, commands.splitlines())
    assert checked["ok"]
    assert (checked["robot"], checked["joints"], checked["drives"]) == ("my_robot", 2, 2)
    (end,) = placed["ends"]
    reach_m = 0.6
    assert end["position_m"] == pytest.approx(
        (0.0, reach_m * math.cos(0.8), 0.4 + reach_m * math.sin(0.8)), abs=1e-4
    )
    assert (ran["ended"], ran["robot"]) == ("completed", "my_robot")
    assert ran["joint_error_final_deg"] < 0.01
    assert ran["joint_error_max_deg"] < 0.2
