"""The arm's recording: every value comes back under its name, and the platform's is untouched."""

from __future__ import annotations

import csv
import math
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from row_samples import ARM, PLATFORM, ArmFrame, CycleFrame, with_codes

from hil.recording.events import EVENTS, ROWS, Level
from hil.recording.export import events_path, export_csv
from hil.recording.header import RecordingError, RunHeader
from hil.recording.mcap_walk import CHANNEL, Found, Walk
from hil.recording.process import RecorderProcess
from hil.recording.reader import Gap, Recording
from hil.recording.recorder import Recorder, RecorderRing, RecorderStatus
from hil.recording.rows import RowPoses
from hil.recording.signals import Signal, Signals
from hil.stations.arm.report.recording import ArmRecording, stream_result

STATES = ("OFFLINE", "SYNCHRONISING", "STREAMING")
ACTIONS = ("NONE", "PASSED", "STOPPED")
TABLE = with_codes(ARM, STATES, ACTIONS)
HEADER = RunHeader(TABLE, {"devices": "SIMULATED RM-01"}, {"period_s": 0.35})


def different_frame(index: int) -> ArmFrame:
    """A frame in which no two values are the same, so that a swap is seen."""
    next_value = iter(range(1000 * index, 1000 * index + 1000))
    values = []
    for row in ARM.fields:
        if row.type == "f8":
            group = tuple(0.25 + next(next_value) for _ in range(row.count))
            values.append(group[0] if row.count == 1 else group)
        else:
            values.append(next(next_value))
    whole = {"index": index, "t_s": 0.35 * index, "state": 2, "action": 1, "flags": 5}
    return ArmFrame._make(values)._replace(**whole)


def recorded(path: Path, frames: list[ArmFrame], *events, header: RunHeader = HEADER) -> Path:
    recorder = Recorder(RecorderRing.local(slots=64), path, header)
    for frame in frames:
        assert recorder.ring.push(ROWS, frame.to_bytes())
        recorder.service()
    for event in events:
        assert recorder.ring.push(EVENTS, event.to_bytes())
    result = recorder.finish()
    assert (result.status, result.lost, result.dropped) == (RecorderStatus.DONE, 0, 0)
    return path


def test_every_value_comes_back_under_its_name(tmp_path: Path) -> None:
    frames = [different_frame(index) for index in range(7)]
    run = ArmRecording.open(recorded(tmp_path / "a.mcap", frames))
    assert run.waypoints == 7
    assert (run.recording.modes, run.recording.actions) == (STATES, ACTIONS)
    assert tuple(run.recording.columns) == ArmFrame._fields
    for row in ARM.fields:
        column = run.column(row.name)
        assert column.shape == ((7,) if row.count == 1 else (7, row.count))
        assert column.tolist() == [
            list(value) if row.count > 1 else value
            for value in (getattr(frame, row.name) for frame in frames)
        ], row.name
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0
    np.testing.assert_array_equal(run.t_s, [0.35 * index for index in range(7)])


def test_what_is_not_there_is_nan_and_defaults_are_that(tmp_path: Path) -> None:
    run = ArmRecording.open(recorded(tmp_path / "a.mcap", [ArmFrame(0, 0.0, 0.0, 0, 0)]))
    for row in ARM.fields:
        if row.count > 1 or row.name in ("sent_seq", "measured_at_s", "answer_latency_s"):
            assert np.isnan(run.column(row.name)).all(), row.name
    assert run.column("requests").tolist() == [0]


@given(st.lists(st.floats(width=64), min_size=7, max_size=7), st.integers(0, 2**53 - 1))
def test_a_frame_is_the_same_after_packing(pose: list[float], requests: int) -> None:
    frame = different_frame(3)._replace(measured_pose=tuple(pose), requests=requests)
    again = ArmFrame.from_bytes(frame.to_bytes())
    assert repr(again) == repr(frame)  # NaN equals itself in words only


@pytest.mark.parametrize(
    ("numbers", "gaps", "missing"),
    [
        ((1, 2, 3), (), 0),
        ((0, 1, 2), (), 0),  # with the start itself
        ((3, 4, 6), (Gap(0, 2), Gap(4, 1)), 3),
    ],
)
def test_waypoints_count_from_one(tmp_path: Path, numbers, gaps, missing) -> None:
    recorder = Recorder(RecorderRing.local(), tmp_path / "a.mcap", HEADER)
    for number in numbers:
        recorder.ring.push(ROWS, different_frame(number).to_bytes())
    recorder.finish()
    run = ArmRecording.open(tmp_path / "a.mcap")
    assert run.recording.gaps == gaps
    assert sum(gap.missing for gap in run.recording.gaps) == missing


def test_a_group_of_another_length_is_refused() -> None:
    with pytest.raises(struct.error):
        different_frame(0)._replace(margins=(1.0, 2.0)).to_bytes()
    with pytest.raises(struct.error):
        ArmFrame.from_bytes(b"\0" * (ARM.size - 1))
    with pytest.raises(KeyError, match="no signal 'margin'"):
        ARM.row(margin=0.0)


def test_the_same_frames_give_the_same_bytes(tmp_path: Path) -> None:
    frames = [different_frame(index) for index in range(40)]
    first, second = (recorded(tmp_path / name, frames).read_bytes() for name in ("a", "b"))
    assert first == second


def test_a_cut_file_gives_what_was_complete(tmp_path: Path) -> None:
    path = recorded(tmp_path / "a.mcap", [different_frame(index) for index in range(40)])
    whole = path.read_bytes()
    with path.open("rb") as file:
        channels = [p for p in Walk(file).pieces() if isinstance(p, Found) and p.opcode == CHANNEL]
    table_ends = channels[0].body + channels[0].length
    counts = set()
    for size in range(100, len(whole), len(whole) // 31):
        path.write_bytes(whole[:size])
        if size < table_ends:
            with pytest.raises(RecordingError, match="no table of its rows"):
                ArmRecording.open(path)
            continue
        run = ArmRecording.open(path)
        assert run.recording.truncated
        assert run.column("index").tolist() == list(range(run.waypoints))
        counts.add(run.waypoints)
    assert len(counts) > 10


def test_the_poses_are_told(tmp_path: Path) -> None:
    frame = different_frame(2)
    recorded(tmp_path / "a.mcap", [frame])
    with (tmp_path / "a.mcap").open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        ((_, _, _, told),) = reader.iter_decoded_messages(topics=["/arm/tf"])
    frames = [(one.header.frame_id, one.child_frame_id) for one in told.transforms]
    assert frames == [
        ("world", "space_gripper"),
        ("robot_base", "gripper_asked"),
        ("robot_base", "gripper_measured"),
    ]
    asked = told.transforms[1].transform
    place, turn = asked.translation, asked.rotation
    shown = (place.x, place.y, place.z, turn.w, turn.x, turn.y, turn.z)
    assert shown == frame.target_pose
    stamp = told.transforms[2].header.stamp
    assert (stamp.sec, stamp.nanosec) == (0, 700_000_000)
    assert RowPoses(ARM).of(ArmFrame(0, 0.0, 0.0, 0, 0).to_bytes()) == []


def test_the_csv_has_a_named_column_for_every_value(tmp_path: Path) -> None:
    frame = different_frame(0)._replace(measured_at_s=math.nan)
    event = stream_result(0.0, 0, "ran dry", "no waypoint 12")
    recording = Recording.open(recorded(tmp_path / "a.mcap", [frame], event))
    names = ARM.columns()
    assert len(set(names)) == len(names) == ARM.values
    with export_csv(recording, tmp_path / "a.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert list(row) == names
    assert float(row["robot_q_rate_joint4_rad_s"]) == frame.robot_q_rate[3]
    assert float(row["space_torque_joint6_n_m"]) == frame.space_torque[5]
    assert float(row["wanted_wy_rad_s"]) == frame.wanted_twist[4]
    assert float(row["sent_o_0.001deg"]) == frame.sent_location[3]
    assert float(row["margin_shoulder_m"]) == frame.margins[2]
    assert float(row["space_qz"]) == frame.space_pose[6]
    assert (row["state"], row["action"], row["measured_at_s"]) == ("STREAMING", "PASSED", "")
    assert "ran dry" in events_path(tmp_path / "a.csv").read_text(encoding="utf-8")


def test_the_end_of_a_stream_is_an_event(tmp_path: Path) -> None:
    events = [stream_result(3.5, 10, "completed", ""), stream_result(7.0, 20, "held", "e-stop")]
    run = ArmRecording.open(recorded(tmp_path / "a.mcap", [different_frame(0)], *events))
    good, bad = run.recording.events
    assert (good.level, good.message) == (Level.INFO, "stream completed")
    assert (bad.level, bad.message) == (Level.ERROR, "stream held: e-stop")
    assert dict(bad.data) == {"result": "held", "reason": "e-stop"}
    assert (bad.t_s, bad.index) == (7.0, 20)


def test_the_recorder_process_records_the_arm_too(tmp_path: Path) -> None:
    ring = RecorderRing.shared(slots=64)
    recorder = RecorderProcess(ring, tmp_path / "a.mcap", HEADER)
    frames = [different_frame(index) for index in range(20)]
    for frame in frames:
        assert ring.push(ROWS, frame.to_bytes())
    result = recorder.finish()
    ring.release()
    assert result.status is RecorderStatus.DONE
    run = ArmRecording.open(tmp_path / "a.mcap")
    assert run.column("robot_q")[19].tolist() == list(frames[19].robot_q)
    assert run.recording.sha256 == result.sha256


def test_a_recording_of_the_platform_is_refused(tmp_path: Path) -> None:
    recorder = Recorder(RecorderRing.local(), tmp_path / "p.mcap", RunHeader(PLATFORM))
    recorder.ring.push(ROWS, CycleFrame(0, 0.0).to_bytes())
    recorder.finish()
    with pytest.raises(RecordingError, match="of the platform, one of the arm is needed"):
        ArmRecording.open(tmp_path / "p.mcap")


def test_a_station_that_is_not_known_here_is_read_by_its_own_table(tmp_path: Path) -> None:
    crane = Signals("crane", (*ARM.fields[:2], Signal("load_n", "f8", unit="N")))
    recorder = Recorder(RecorderRing.local(), tmp_path / "a.mcap", RunHeader(crane))
    for index in range(3):
        recorder.ring.push(ROWS, crane.row(index=index, t_s=0.5 * index, load_n=1e3 * index))
    recorder.finish()
    recording = Recording.open(tmp_path / "a.mcap")
    assert (recording.signals, recording.modes, recording.actions) == (crane, (), ())
    assert recording.column("load_n").tolist() == [0.0, 1e3, 2e3]
    rows = export_csv(recording, tmp_path / "a.csv").read_text().splitlines()
    assert rows == ["index,t_s,load_n", "0,0.0,0.0", "1,0.5,1000.0", "2,1.0,2000.0"]
