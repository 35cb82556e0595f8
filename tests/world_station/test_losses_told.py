"""What of robots' documents does not act is told before a run, in its recording and in its page."""

import json
from pathlib import Path

import pytest
from test_robot_runs import said

MOON = """<mujoco model="moon"><option gravity="0 0 -1.62"/><worldbody><body name="a">
<joint name="turn" axis="0 1 0" stiffness="3"/>
<geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02"/>
</body></worldbody><actuator><motor joint="turn" ctrlrange="-50 50"/></actuator></mujoco>"""
SCENE = """scene = "base"
[floor]
[[robot]]
name = "other"
document = "moon.xml"
position_m = [0, 0, 1]
[stepping]
gravity_m_s2 = {gravity}
"""
SCENARIO = """station = "world"
name = "s"
robot = "moon.xml"
scene = "base.toml"
mount = { position_m = [2.0, 0.0, 1.5] }
[motion]
kind = "joints"
goal = [{ joint = 1, by_deg = 2.0 }]
"""
EARTH, LUNA = "[0.0, 0.0, -9.81]", "[0.0, 0.0, -1.62]"


@pytest.fixture
def written(tmp_path):
    def write(gravity: str) -> Path:
        (tmp_path / "moon.xml").write_text(MOON)
        (tmp_path / "base.toml").write_text(SCENE.format(gravity=gravity))
        (tmp_path / "s.toml").write_text(SCENARIO)
        return tmp_path

    return write


def lost(of, count, lines):
    """Gravity of some robots first, then what is not taken of their document, once."""
    assert [f"robot {of}" in one and "-1.62" in one and "-9.81" in one for one in lines] == [
        index == 0 and count > 0 for index in range(len(lines))
    ], lines
    assert len(lines) == count + 1
    assert "moon.xml:2:1: joint turn stiffness = 3" in lines[-1]


def test_a_gravity_that_a_scene_drops_is_a_loss_of_every_verb(written):
    folder = written(EARTH)
    lost("other", 1, json.loads(said("world", "check", f"{folder}/base.toml", "--json").stdout)
         ["losses"])  # fmt: skip
    for verb in (("world", "check"), ("check",), ("run", "--report", "--out", str(folder))):
        told = json.loads(said(*verb, f"{folder}/s.toml", "--json").stdout)
        assert [one.split(" gravity")[0] for one in told["losses"][:2]] == [
            "robot moon.xml", "robot other",
        ], verb  # fmt: skip
        lost("other", 1, told["losses"][1:])
    page = Path(told["report"]).read_text()
    assert all(line.replace("'", "&#39;") in page for line in told["losses"])
    shown = said("check", f"{folder}/s.toml").stderr
    assert "lost: robot moon.xml gravity_m_s2 = (0.0, 0.0, -1.62): gravity_m_s2 of the" in shown


def test_a_gravity_that_acts_is_no_loss(written):
    folder = written(LUNA)
    lost("", 0, json.loads(said("world", "check", f"{folder}/s.toml", "--json").stdout)["losses"])
    alone = json.loads(said("check", f"{folder}/moon.xml", "--json").stdout)
    lost("", 0, alone["losses"])
    changed = said("check", f"{folder}/moon.xml", "--json", "--set", "gravity_m_s2=[0,0,-9.81]")
    lost("moon", 1, json.loads(changed.stdout)["losses"])
