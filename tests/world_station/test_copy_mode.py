"""Copy mode: joints led by a recording or by frames, judged by closed forms and differences."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner
from udp_user import know_at_once

from hil.cli.main import app
from hil.config.errors import RefusedError
from hil.config.file_search import configs_dir
from hil.recording import row_arrays
from hil.recording.columns import Columns
from hil.recording.mcap_scan import Caps
from hil.recording.reader import Recording
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.cycle.loop import WorldRun
from hil.stations.world.plan.copy_map import copy_map
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.session import run_world
from hil.stations.world.signals import world_signals
from hil.stations.world.sources import recorded_stream
from hil.stations.world.sources.copy_source import CopySource
from hil.stations.world.sources.frame_stream import FrameStream
from hil.stations.world.sources.source_setup import LiveInputs
from hil.timing.clock import VirtualClock
from sim.devices.arm.exoskeleton import JOINTS, angles_rad
from sim.world.motion.joint_bounds import BoundedJoints, JointBounds

SCENARIOS = configs_dir() / "scenarios"
STEP_S = 0.002
FILE = configs_dir() / "motions" / "arms_and_hands.csv"


def copying(*changes):
    return load_world_plan(SCENARIOS / "copy_arms.toml", changes)


def said(*arguments, status=0):
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == status, done.output
    return done


def test_the_shipped_recording_is_what_the_emulated_suit_measures(tmp_path):
    file = tmp_path / "again.csv"
    said("world", "send", "--file", str(file), "--rate", "50", "--seed", "1", "--seconds", "12")
    assert file.read_bytes() == FILE.read_bytes()


def test_arms_and_hands_follow_the_operator_within_their_limits(tmp_path):
    """The operator's own law, mirrored and cut by hand, is the judge; so are differences."""
    plan = copying("motion.duration_s=3.5", "settle_s=0.0")
    result = run_world(plan, tmp_path)
    assert result.figures.ok, result.figures
    recording = Recording.open(result.recorder.path)
    wanted, found = recording.column("wanted_rad"), recording.column("position_rad")
    assert np.degrees(np.abs(found - wanted)).max() < 0.2
    joints = [drive.joint for drive in plan.robot.drives]
    known = {joint.number: joint for joint in plan.robot.joints}
    speeds = np.diff(wanted, axis=0) / STEP_S
    assert np.degrees(np.abs(speeds).max()) <= 90.0 + 1e-6
    assert np.degrees(np.abs(np.diff(speeds, axis=0)).max()) / STEP_S <= 500.0 + 1e-3
    times = np.arange(1.2, 3.5, 0.05)  # by then it has come from where it stood
    rates = [np.ptp(np.array([angles_rad(t_s + h) for h in (0.0, 0.01)]), 0) for t_s in times]
    fastest = dict(zip(JOINTS, np.max(rates, axis=0) / 0.01, strict=True))
    a, rows = np.radians(500.0), (times / STEP_S).round().astype(int)
    for pair in plan.scenario.motion.map:
        place = joints.index(next(n for n in joints if known[n].name == pair.joint))
        least, greatest = known[joints[place]].limits[0]
        there = wanted[rows, place]
        assert (there >= least).all()
        assert (there <= greatest).all()
        if np.degrees(fastest[pair.value]) < 85.0:  # as far behind as a stop takes, and smoothing
            behind = fastest[pair.value] ** 2 / (2 * a) + a * 0.08**2 / 8 + np.radians(0.3)
            led = np.array([angles_rad(t_s)[JOINTS.index(pair.value)] for t_s in times])
            away = np.abs(there - np.clip(pair.ratio * led, least, greatest))
            assert away.max() < behind, pair
            assert behind < np.radians(9.0)
    hand = wanted[:, joints.index(next(n for n in joints if known[n].name == "left_hand"))]
    assert np.degrees(angles_rad(3.0)[JOINTS.index("left_hand")]) > 35.0
    assert hand.max() == pytest.approx(0.5, abs=1e-3)  # the end of the joint's range


def test_the_same_recording_moves_it_bit_by_bit_alike(tmp_path):
    plan = copying("motion.duration_s=0.6", "settle_s=0.0")
    first, second = (run_world(plan, tmp_path).recorder.sha256 for _ in range(2))
    assert first is not None
    assert first == second


def table(tmp_path, rows, name="led.csv"):
    file = tmp_path / name
    lines = ["t_s,a,b", *(",".join(map(repr, row)) for row in rows)]
    file.write_text("\n".join(lines) + "\n")
    return file


LED = ("motion.map=[{joint=1, value='a', unit='deg', ratio=-2.0, offset_deg=5.0}, "
       "{joint=3, value='b'}]", "motion.values=['a', 'b']", 'robot="robot_a"', "settle_s=0.0",
       "motion.smoothing_s=0.02")  # fmt: skip


def led(file, *changes):
    return copying(*LED, f'motion.file="{file}"', *changes)


def played(plan, live=None, steps=None):
    """Rows of joints asked for and messages told, from a source alone."""
    source = open_bench(plan, live=live).source
    rows, news = [], []
    for index in range(steps or 100_000):
        rows.append(source.setpoint(index).positions)
        news += [(index * STEP_S, one) for one in source.news()]
        if source.ended:
            break
    source.close()
    return np.array(rows), news


def test_unit_ratio_and_offset_and_joints_that_nothing_leads(tmp_path):
    file = table(tmp_path, [(7.0, 10.0, 0.1), (7.05, 10.0, 0.1), (7.1, 10.0, 0.1)])
    rows, _ = played(led(file))
    np.testing.assert_allclose(rows[-1][0], np.radians(-2.0 * 10.0 + 5.0), atol=1e-5)
    np.testing.assert_allclose(rows[-1][2], 0.1, atol=1e-5)
    assert not np.ptp(rows[:, [1, 3, 4, 5]], axis=0).any()


def test_a_hole_in_the_values_is_a_bounded_stop_that_is_held_and_told(tmp_path):
    before = [(0.02 * k, -20.0 * 0.02 * k, 0.0) for k in range(51)]
    after = [(1.5 + 0.02 * k, -30.0, 0.0) for k in range(40)]
    rows, news = played(led(table(tmp_path, before + after)))
    times = STEP_S * np.arange(len(rows))
    speeds = np.degrees(np.diff(rows[:, 0])) / STEP_S
    hole = np.searchsorted(times, 1.1)
    assert speeds[450] == pytest.approx(40.0, rel=1e-3)
    assert np.abs(np.diff(speeds)).max() / STEP_S <= 500.0 + 1e-3
    stopped = slice(hole + 60, np.searchsorted(times, 1.5) - 2)
    assert np.abs(speeds[stopped]).max() == 0.0
    assert np.abs(speeds[np.searchsorted(times, 1.55)]) > 1.0
    assert [(round(t_s, 2), one.data["led"], one.warning) for t_s, one in news] == [
        (0.0, True, False), (1.1, False, True), (1.5, True, False)]  # fmt: skip


def test_a_hole_while_it_moves_stops_it_by_its_acceleration(tmp_path):
    """From 20 deg/s by 500 deg/s2: 0.04 s and 0.4 deg, whatever the last value was."""
    file = table(tmp_path, [(0.0, -90.0, 0.0), (0.02, -90.0, 0.0), (3.0, -90.0, 0.0)])
    rows, news = played(led(file, "motion.speed_deg_s=20.0", "motion.stale_s=0.3"), steps=400)
    speeds = np.degrees(np.diff(rows[:, 0])) / STEP_S
    lost = int(next(t_s for t_s, one in news if one.warning) / STEP_S)
    assert lost * STEP_S == pytest.approx(0.32, abs=0.004)
    assert speeds[lost - 2] == pytest.approx(20.0)
    slowing = np.diff(speeds[lost - 2 : lost + 24]) / STEP_S
    assert slowing.min() == pytest.approx(-500.0)
    way = np.degrees(rows[lost + 60, 0] - rows[lost - 1, 0])
    assert way == pytest.approx(20.0**2 / (2 * 500.0), abs=0.05)


def test_a_recording_of_ours_leads_the_same_joints_again(tmp_path):
    plan = load_world_plan(SCENARIOS / "joint_move.toml", ("settle_s=0.2",))
    path = run_world(plan, tmp_path).recorder.path
    copied = copying('robot="robot_a"', f'motion.file="{path}"', "motion.values=[]",
                     "motion.map=[]", "settle_s=0.3")  # fmt: skip
    result = run_world(copied, tmp_path)
    assert result.figures.ok
    again = Recording.open(result.recorder.path).column("position_rad")
    before = Recording.open(path).column("position_rad")
    np.testing.assert_allclose(np.degrees(again[-1]), np.degrees(before[-1]), atol=1e-3)
    assert np.degrees(np.abs(np.ptp(again, axis=0))[[0, 3]]) == pytest.approx([90, 45], abs=0.05)


def test_a_long_recording_leads_the_same_joints_as_a_look_at_the_whole(tmp_path, monkeypatch):
    plan = load_world_plan(SCENARIOS / "joint_move.toml", ("settle_s=0.2",))
    path = run_world(plan, tmp_path).recorder.path
    names = ["joint1", "joint4"]
    whole = Recording.open(path)
    times_s = whole.t_s - whole.t_s[0]
    joints = whole.column("position_rad")[:, [0, 3]]
    pieces = Recording.open(path, Caps(kept=0, piece=20_000))
    assert sum(1 for _ in pieces.pieces()) > 5
    monkeypatch.setattr(Recording, "open", lambda _: pieces)
    monkeypatch.setattr(Columns, "__getitem__", in_memory_only)
    monkeypatch.setattr(row_arrays, "MOST_BYTES", 1000)
    monkeypatch.setattr(recorded_stream, "_FAR", 10)
    stream = recorded_stream.read_recorded(path, names, 0.1)
    assert stream.duration_s == times_s[-1]
    for t_s in np.linspace(0.0, times_s[-1], 400):
        wanted = [np.interp(t_s, times_s, values) for values in joints.T]
        np.testing.assert_allclose(stream.values(t_s), wanted, atol=1e-12)


_LOOK = Columns.__getitem__


def in_memory_only(self, name):
    assert self.in_memory, f"{name} is read as a whole"
    return _LOOK(self, name)


def test_nothing_speeds_up_faster_than_its_gate_stops():
    changes = ("motion.acceleration_deg_s2=20000.0", "motion.speed_deg_s=600.0")
    rows, _ = played(copying(*changes, "motion.duration_s=0.8"))
    speeds = np.diff(rows, axis=0) / STEP_S
    assert np.abs(np.diff(speeds, axis=0)).max() / STEP_S == pytest.approx(10.0, rel=1e-6)


@pytest.fixture(autouse=True)
def _known_at_once(monkeypatch):
    know_at_once(monkeypatch)


class Garbage:
    """Frames on a socket of loopback, written here by hand."""

    def __init__(self):
        import socket

        self.t_s = 0.0
        self.stream = FrameStream("127.0.0.1:0", 2, 0.1, lambda: self.t_s)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def send(self, data):
        self._socket.sendto(data, self.stream.address)

    def close(self):
        self.stream.close()
        self._socket.close()


def packed(number, stamp_s, *values):
    return struct.pack(f"<4sHHQd{len(values)}d", b"HILJ", 1, len(values), number, stamp_s, *values)


@pytest.mark.parametrize("seed", range(8))
def test_no_bytes_but_a_frame_ever_move_a_joint(seed):
    """Thousands of datagrams, changed, cut or told again; and one good frame, which does."""
    draw, rig = np.random.default_rng(seed), Garbage()
    n = 2
    bounds = JointBounds(np.full(n, -1.0), np.full(n, 1.0), np.ones(n), np.full(n, 4.0), 0.3)
    led_by, wrong = copy_map(led(FILE).scenario.motion, led(FILE).robot)
    assert not wrong
    led_by = type(led_by)(("a", "b"), np.arange(2), np.arange(2), np.ones(2), np.zeros(2))
    source = CopySource(BoundedJoints(bounds, np.zeros(2), STEP_S), rig.stream, led_by, 0.05, None)
    index = 1
    for number in range(300):
        data = bytearray(packed(number, 0.1 * number, *draw.uniform(-1, 1, 2)))
        match draw.integers(4):
            case 0:
                data = data[: draw.integers(len(data))]
            case 1:
                data[draw.integers(8)] ^= int(draw.integers(1, 256))
            case 2:
                at = 16 + 8 * int(draw.integers(3))
                data[at : at + 8] = struct.pack("<d", draw.choice([np.nan, np.inf, -np.inf]))
            case 3:
                data = draw.bytes(int(draw.integers(80)))
        rig.send(bytes(data))
        rig.t_s += STEP_S
        assert source.setpoint(index).positions == (0.0, 0.0)
        index += 1
    rig.send(packed(10_000, 1e4, 0.5, 9e99))
    for _ in range(3000):
        rig.t_s += 1e-6
        rows = source.setpoint(index).positions
        index += 1
    assert rows == pytest.approx((0.5, 1.0), abs=1e-4)  # cut at its limit
    rig.close()


def test_frames_lead_a_whole_run_and_their_loss_stops_it(tmp_path):
    plan = copying(*LED, 'motion.source="frames"', 'motion.listen="127.0.0.1:0"', 'clock="real"',
                   "motion.duration_s=1.2")  # fmt: skip
    clock = VirtualClock()
    bench = open_bench(plan, live=LiveInputs(clock.now_s))
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        run = WorldRun(
            bench, clock, None, world_signals([(n, False) for n in range(1, 7)], "torque")
        )
        rows = []
        for tick in clock.ticks(run.period_s):
            if tick.index % 8 == 0 and tick.t_s < 0.6:
                data = packed(tick.index, tick.t_s, -15.0, 0.2)
                out.sendto(data, bench.source._stream._inner.address)
            over = run.turn(tick)
            rows.append(bench.robot.positions().copy())
            if over:
                break
        run.close()
    assert run.figures.ok, run.figures
    assert run.figures.ended == "completed"
    np.testing.assert_allclose(rows[-1][[0, 2]], [np.radians(35.0), 0.2], atol=1e-3)
    assert tick.t_s == pytest.approx(1.2, abs=0.01)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("motion.map=[{joint=99, value='a'}]", "motion.map.0: joint 99 is not driven; there are 1"),
        ("motion.map=[{joint='nose', value='a'}]", "joint 'nose' is not driven"),
        ("motion.map=[{joint=1, value='c'}]", "no value 'c'; there are a, b"),
        ("motion.map=[{joint=1, value='a'}, {joint=1, value='b'}]", "joint 1 is led twice"),
        ("motion.map=[{joint=1, value='a', unit='mm'}]", "joint 1 turns: unit rad or deg"),
        ("motion.map=[{joint=1, value='a', offset_m=0.1}]", "joint 1 turns: offset_deg"),
        ("motion.map=[]", "no value has the name of a driven joint"),
        ("motion.values=['a', 'a']", "a name is given twice"),
        ('motion.file=""', "file is needed"),
        ('motion.file="nowhere.csv"', "motion.file = 'nowhere.csv': no such file"),
        ('motion.source="frames"', "clock = 'virtual': who leads it lives in real time"),
        ("motion.smoothing_s=0.0", "greater than or equal to 0.01"),
    ],
)
def test_scenarios_that_cannot_be_are_refused_by_their_keys(change, message, tmp_path):
    changes = [part for one in (*LED, change) for part in ("--set", one)]
    assert message in said("check", "copy_arms", *changes, status=2).stderr.replace("\n", " ")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(0.0, 1.0, 2.0)], "1 rows; at least two"),
        ([(0.0, 1.0, 2.0), (0.0, 1.0, 2.0)], "line 3, column 't_s': 0 s after the row before"),
        ([(0.0, 1.0, float("nan")), (0.1, 1.0, 2.0)], "line 2, column 'b': holds 'nan'"),
    ],
)
def test_recordings_that_cannot_be_are_refused_with_their_place(rows, message, tmp_path):
    with pytest.raises(RefusedError, match=message):
        open_bench(led(table(tmp_path, rows)))


def test_a_recording_without_a_value_tells_those_it_has(tmp_path):
    file = table(tmp_path, [(0.0, 1.0, 2.0), (0.1, 1.0, 2.0)])
    with pytest.raises(RefusedError, match="no column 'c'; there are 't_s', 'a', 'b'"):
        open_bench(led(file, "motion.values=['c']", "motion.map=[{joint=1, value='c'}]"))


def test_what_a_led_run_tells_as_json(tmp_path):
    arguments = ("run", "copy_arms", "--set", "motion.duration_s=0.2", "--set", "settle_s=0.0")
    told = json.loads(said(*arguments, "--json", "--out", str(tmp_path)).stdout)
    assert told["ended"] == "completed"
    assert told["plain_pid"] is not None
    events = Recording.open(Path(told["recording"])).events
    assert [one.message for one in events if one.name == "source"] == [
        "there are values; the joints follow"
    ]
