"""Every folder of users' inputs has a row here: a test of its right value.

The inputs are kept beside the repository (``shared/cases``, one folder a case, its README the right
value); tests are of this file or of another. A folder without a row fails, and so does a row whose
test is not there.
"""

import builtins
import json
import math
import re
import runpy
import struct
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from campaign import SHARE
from case_files import CASES, case_file
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.diagram.file.units import conversion
from hil.hosts.kind import Packet
from hil.hosts.wires.xplane_rref import PATHS, RrefCodec
from hil.machines.rig.machine import envelope_of, geometry_of, load_rig, park_pose
from hil.machines.world.scene_documents import scene_of
from hil_common.arrays.pose import Pose
from platform6dof.inverse import leg_lengths
from sim.world.engine.mjcf_scene import scene_text
from sim.world.engine.world import World

TESTS = Path(__file__).parent
HERE = "test_cases.py"
ROWS = {
    "at2_variants": "motion/test_recording_cases.py",
    "contact_makes_energy": HERE,
    "convert_rpm": HERE,
    "csv_dialects": "motion/test_recording_cases.py",
    "csv_two_kinds_of_numbers": "motion/test_recording_cases.py",
    "eds_cut_off": "drives/test_eds_sheets.py",
    "eds_identity": "drives/test_eds_sheets.py",
    "flightgear_body_rates": "hosts/test_flightgear_wire.py",
    "flightgear_byte_order_host": "hosts/test_flightgear_wire.py",
    "flightgear_separators": "hosts/test_flightgear_wire.py",
    "linear_margin_at_zero": HERE,
    "live_host_with_end": "simulator_station/test_documented_path.py",
    "loaded_twin_lag": HERE,
    "mjcf_include": "world/test_foreign_forms.py",
    "mjcf_replicate": "world/test_foreign_forms.py",
    "mjcf_unnamed_body": "world/test_foreign_forms.py",
    "pose_ten_bits": "hosts/test_physics.py",
    "ride_gravity": HERE,
    "ride_speed_and_heading": "motion/test_recording_cases.py",
    "rig_hanging": HERE,
    "urdf_inertia_repaired": "world/test_foreign_forms.py",
    "urdf_limits_none": "world/test_foreign_forms.py",
    "urdf_start_outside": "world/test_foreign_forms.py",
    "urdf_zero_inertia_on_fixed_link": "world/test_foreign_forms.py",
    "xplane_axial_sign": HERE,
    "xplane_rref_in_parts": "hosts/test_xplane_wire.py",
}
"""Folder → file of the test that knows its right value, and names the folder."""
run = CliRunner()


def naming(folder: str) -> list[str]:
    """Test files that name a folder in quotes, this one left out."""
    quoted = re.compile(rf"""["'/]{folder}["'/]""")
    files = (one for one in TESTS.rglob("test_*.py") if one.name != HERE)
    return [str(one.relative_to(TESTS)) for one in files if quoted.search(one.read_text("utf-8"))]


def test_every_folder_has_one_row():
    if not CASES.is_dir():
        pytest.skip(f"{CASES} is not here")
    folders = {one.name for one in CASES.iterdir() if one.is_dir() and one.name[0] not in "._"}
    odd = sorted(folders ^ {*ROWS})
    if odd and SHARE < 1.0:
        pytest.skip(f"other inputs than this revision knows: {', '.join(odd)}")
    assert odd == []


@pytest.mark.parametrize("folder", [one for one in ROWS if ROWS[one] != HERE])
def test_the_test_of_a_row_is_there(folder):
    assert ROWS[folder] in naming(folder)


def test_each_row_of_this_file_has_its_test():
    own = [one for one in ROWS if ROWS[one] == HERE]
    assert [one for one in own if f"test_{one}" not in globals()] == []


def test_contact_makes_energy(tmp_path):
    """Refused with the least damping that works; with that the ball never rises above its fall."""
    scene = case_file("contact_makes_energy", "bounce.toml")
    with pytest.raises(ConfigError) as refused:
        scene_of(str(scene), key="scene")
    least = re.search(r"contact_damping = 0.03: .*; ([0-9.]+) or more", str(refused.value))
    assert least, refused.value
    works, least_told = tmp_path / "works.toml", f"contact_damping = {least[1]}"
    works.write_text(scene.read_text("utf-8").replace("contact_damping = 0.03", least_told))
    world = World(scene_text(scene_of(str(works), key="scene").scene, {}))
    touched, rebound_m = False, 0.0
    for _ in range(2500):
        world.step(1)
        touched = touched or bool(world.contacts())
        height_m = world.bodies["ball"].coordinates()[2] - 0.05
        rebound_m = max(rebound_m, height_m) if touched else 0.0
    assert 0.05 < rebound_m < 0.5


def test_convert_rpm():
    case_file("convert_rpm", "README.md")
    assert 60.0 * conversion("rpm", "Hz") == pytest.approx(1.0, rel=1e-15)
    assert 60.0 * conversion("rev/s", "Hz") == pytest.approx(60.0, rel=1e-15)
    assert 60.0 * conversion("Hz", "rpm") == pytest.approx(3600.0, rel=1e-15)


def test_linear_margin_at_zero():
    """At 0 Hz the loop is 3/(0 - 1): it loses stability when its gain falls to a third."""
    file = case_file("linear_margin_at_zero", "unst.toml")
    told = run.invoke(app, ["diagram", "linear", str(file), "--loop", "plant.u", "--json"])
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    assert found["gain_margin_db"]["value"] == pytest.approx(-20.0 * math.log10(3.0), abs=0.01)
    assert found["gain_margin_db"]["hz"] == pytest.approx(0.0, abs=1e-6)


def test_loaded_twin_lag(tmp_path):
    """A servo that carries 300 kg is off under acceleration, and no frame is old: it completes."""
    surge = case_file("loaded_twin_lag", "surge.toml")
    told = run.invoke(
        app, ["run", str(surge), "--world", "paper_cabin", "--out", str(tmp_path), "--json"]
    )
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["outcome"] == "completed"


@pytest.mark.parametrize(("name", "key"), [("lin.toml", "a_z = "), ("ride.toml", "sign = -1")])
def test_ride_gravity(name, key):
    """Nothing of it moves, and what to write is told."""
    told = run.invoke(app, ["check", str(case_file("ride_gravity", name))])
    assert told.exit_code == 2
    words = " ".join(told.output.split())
    assert "a vehicle's is about (0, 0, -9.81)" in words
    assert key in words


def test_rig_hanging(monkeypatch):
    file = case_file("rig_hanging", "hanging.toml")
    hung, stood = load_rig(file), load_rig(configs_dir() / "rigs" / "training_simulator.toml")
    below, above = geometry_of(hung), geometry_of(stood)
    chance = np.random.default_rng(31)
    for _ in range(20):
        at = stood.neutral.coordinates() + chance.uniform(-0.1, 0.1, 6)
        image = Pose.from_coordinates(at * [1.0, 1.0, -1.0, 1.0, -1.0, -1.0])
        pose = Pose.from_coordinates(at)
        assert leg_lengths(below, image) == pytest.approx(leg_lengths(above, pose), abs=1e-12)
        found, wanted = envelope_of(hung, below).state(image), envelope_of(stood, above).state(pose)
        assert found.base_angle_rad == pytest.approx(wanted.base_angle_rad, abs=1e-9)
        assert found.platform_angle_rad == pytest.approx(wanted.platform_angle_rad, abs=1e-9)
    parked = park_pose(stood, above).position_m[2]
    assert park_pose(hung, below).position_m[2] == pytest.approx(-parked, abs=1e-9)
    monkeypatch.chdir(file.parent)
    told = run.invoke(app, ["check", "h.toml"])
    assert told.exit_code == 0, told.output


class _XPlane:
    """What the case's script needs of sockets and clocks: one asker, and time that passes."""

    def __init__(self, asked: list[bytes]) -> None:
        self.asked, self.now_s, self.sent = asked, 0.0, list[bytes]()

    def recvfrom(self, _: int) -> tuple[bytes, tuple[str, int]]:
        self.now_s += 0.004
        if not self.asked:
            raise TimeoutError
        return self.asked.pop(0), ("127.0.0.1", 1)

    def sendto(self, data: bytes, _: object) -> None:
        self.sent.append(data)

    def settimeout(self, _: float) -> None:
        pass

    bind = settimeout


def test_xplane_axial_sign(monkeypatch):
    """The script's car speeds up by f_x(t); it says g_axil = -f_x/g, as X-Plane was measured."""
    script = case_file("xplane_axial_sign", "xplane_as_measured.py")
    asked = [
        b"RREF\0" + struct.pack("<ii400s", 60, index, path.encode())
        for index, path in enumerate(PATHS)
    ]
    host = _XPlane(asked)
    sockets = SimpleNamespace(socket=lambda *_: host, AF_INET=0, SOCK_DGRAM=0, timeout=TimeoutError)
    fakes = {"socket": sockets, "time": SimpleNamespace(time=lambda: host.now_s)}
    fakes["sys"] = SimpleNamespace(argv=["script", "49123", "-1", "12"])
    real = builtins.__import__
    monkeypatch.setattr(
        builtins, "__import__", lambda name, *rest: fakes.get(name) or real(name, *rest)
    )
    runpy.run_path(str(script))
    monkeypatch.undo()
    codec, seen = RrefCodec(60), []
    for data in host.sent[2 * len(PATHS) :]:
        packet = codec.decode(data)
        if isinstance(packet, Packet):
            seen.append((packet.state.t_s, packet.state.f_m_s2[0], packet.state.f_m_s2[2]))
    told = np.array(seen)
    assert len(told) > 300
    assert told[:, 1] == pytest.approx(2.5 * np.sin(2.0 * np.pi * told[:, 0] / 6.0), abs=1e-4)
    assert told[:, 2] == pytest.approx(-9.80665, abs=1e-4)
