"""The arm's recording: every value comes back under its name, and the platform's is untouched."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import math
import struct
from pathlib import Path

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.ipc.memory import DEFAULT_SLOT_BYTES
from hil.recording.arm_frame import (
    ARM,
    ARM_FIELDS,
    WATCHED,
    ArmFlag,
    ArmFrame,
    arm_header,
    stream_result,
)
from hil.recording.arm_recording import FIELD_NAMES, ArmRecording
from hil.recording.export import column_names, events_path, export_csv
from hil.recording.frame import CYCLE_KIND, EVENT_KIND, CycleFrame, Level, pack_into
from hil.recording.frame import FRAME as PLATFORM_FRAME
from hil.recording.header import RecordingError, RunHeader
from hil.recording.layout import Layout
from hil.recording.layouts import LAYOUTS, PLATFORM, layout_of
from hil.recording.process import RecorderProcess
from hil.recording.reader import Gap, Recording
from hil.recording.recorder import Recorder
from hil.recording.ring import RecorderRing, RecorderStatus

STATES = ("OFFLINE", "SYNCHRONISING", "STREAMING")
ACTIONS = ("NONE", "PASSED", "STOPPED")
HEADER = arm_header(STATES, ACTIONS, {"devices": "SIMULATED RM-01"}, {"period_s": 0.35})


def different_frame(index: int) -> ArmFrame:
    """A frame in which no two values are the same, so that a swap is seen."""
    next_value = iter(range(1000 * index, 1000 * index + 1000))
    values = []
    for row in ARM_FIELDS:
        if row.code == "d":
            group = tuple(0.25 + next(next_value) for _ in range(row.count))
            values.append(group[0] if row.count == 1 else group)
        else:
            values.append(next(next_value))
    whole = {"index": index, "t_s": 0.35 * index, "state": 2, "action": 1, "flags": 5}
    return ArmFrame._make(values)._replace(**whole)


def recorded(path: Path, frames: list[ArmFrame], *events, header: RunHeader = HEADER) -> Path:
    recorder = Recorder(RecorderRing.local(slots=64), path, header)
    for frame in frames:
        assert recorder.ring.push(CYCLE_KIND, frame.to_bytes())
        recorder.service()
    for event in events:
        assert recorder.ring.push(EVENT_KIND, event.to_bytes())
    result = recorder.finish()
    assert (result.status, result.lost, result.dropped) == (RecorderStatus.DONE, 0, 0)
    return path


def test_every_value_comes_back_under_its_name(tmp_path: Path) -> None:
    frames = [different_frame(index) for index in range(7)]
    run = ArmRecording.open(recorded(tmp_path / "a.mcap", frames))
    assert run.waypoints == 7
    assert (run.states, run.actions) == (STATES, ACTIONS)
    assert tuple(run.recording.columns) == FIELD_NAMES == ArmFrame._fields
    for row in ARM_FIELDS:
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
    for row in ARM_FIELDS:
        if row.count > 1 or row.name in ("sent_seq", "measured_at_s", "answer_latency_s"):
            assert np.isnan(run.column(row.name)).all(), row.name
    assert run.column("requests").tolist() == [0]


def without(name: str) -> Layout:
    """The arm's layout, writing cycles as versions did that had no field of this name."""

    def message(flat, header):
        told = orjson.loads(ARM.message(flat, header))
        del told[name]
        return orjson.dumps(told)

    return dataclasses.replace(ARM, message=message)


def test_recordings_of_before_a_field_are_read_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = [different_frame(index) for index in range(3)]
    with monkeypatch.context() as patch:
        patch.setitem(LAYOUTS, "arm", without("watched"))
        path = recorded(tmp_path / "a.mcap", frames)
    run = ArmRecording.open(path)
    assert run.column("watched").shape == (3, len(WATCHED))
    assert np.isnan(run.column("watched")).all()
    assert run.column("gripper_speed_m_s").tolist() == [f.gripper_speed_m_s for f in frames]


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
        recorder.ring.push(CYCLE_KIND, different_frame(number).to_bytes())
    recorder.finish()
    run = ArmRecording.open(tmp_path / "a.mcap")
    assert run.recording.gaps == gaps
    assert run.missing == missing


def test_a_group_of_another_length_is_refused() -> None:
    with pytest.raises(struct.error):
        different_frame(0)._replace(margins=(1.0, 2.0)).to_bytes()
    with pytest.raises(struct.error):
        ArmFrame.from_bytes(b"\0" * (ARM.frame.size - 1))


def test_a_frame_fits_into_the_ring_with_room_to_spare() -> None:
    assert ARM.frame.size + 8 <= DEFAULT_SLOT_BYTES
    assert len(different_frame(1).to_bytes()) == ARM.frame.size
    assert int(ArmFlag(31)) < 2**16


def test_the_same_frames_give_the_same_bytes(tmp_path: Path) -> None:
    frames = [different_frame(index) for index in range(40)]
    first, second = (recorded(tmp_path / name, frames).read_bytes() for name in ("a", "b"))
    assert first == second


def test_a_cut_file_gives_what_was_complete(tmp_path: Path) -> None:
    path = recorded(tmp_path / "a.mcap", [different_frame(index) for index in range(40)])
    whole = path.read_bytes()
    counts = set()
    for size in range(100, len(whole), len(whole) // 23):
        path.write_bytes(whole[:size])
        recording = Recording.open(path)
        if "run" not in recording.metadata:  # cut before it says of which station it is
            with pytest.raises(RecordingError, match="of the platform"):
                ArmRecording(recording)
            continue
        run = ArmRecording(recording)
        assert run.recording.truncated
        assert run.column("index").tolist() == list(range(run.waypoints))
        counts.add(run.waypoints)
    assert len(counts) > 10


def test_messages_follow_their_own_schema_and_carry_the_poses(tmp_path: Path) -> None:
    flat = ARM.frame.unpack(different_frame(2).to_bytes())
    message = orjson.loads(ARM.message(flat, HEADER))
    schema = orjson.loads(ARM.schema())
    assert list(message) == list(schema["properties"]) == list(FIELD_NAMES)
    assert (message["state"], message["action"]) == ("STREAMING", "PASSED")
    assert message["target_pose"]["qw"] == different_frame(2).target_pose[3]
    transforms = orjson.loads(ARM.transforms(flat, 700_000_000) or b"")["transforms"]
    assert [t["child_frame_id"] for t in transforms] == [
        "space_gripper", "gripper_asked", "gripper_measured"
    ]  # fmt: skip
    rotation = transforms[1]["rotation"]
    told = (*transforms[1]["translation"].values(), *(rotation[key] for key in "wxyz"))
    assert told == different_frame(2).target_pose
    assert transforms[2]["timestamp"] == {"sec": 0, "nsec": 700_000_000}
    assert ARM.transforms(ARM.frame.unpack(ArmFrame(0, 0.0, 0.0, 0, 0).to_bytes()), 0) is None


def test_the_csv_has_a_named_column_for_every_value(tmp_path: Path) -> None:
    frame = different_frame(0)._replace(measured_at_s=math.nan)
    event = stream_result(0.0, 0, "ran dry", "no waypoint 12")
    recording = Recording.open(recorded(tmp_path / "a.mcap", [frame], event))
    names = column_names(ARM)
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
        assert ring.push(CYCLE_KIND, frame.to_bytes())
    result = recorder.finish()
    ring.release()
    assert result.status is RecorderStatus.DONE
    run = ArmRecording.open(tmp_path / "a.mcap")
    assert run.column("robot_q")[19].tolist() == list(frames[19].robot_q)
    assert run.recording.sha256 == result.sha256


def platform_run(path: Path) -> Path:
    header = RunHeader(("OFF",), ("NONE",), {"rig": "sample"}, {})
    recorder = Recorder(RecorderRing.local(), path, header)
    for index in range(300):
        six = tuple(index + 0.125 * leg for leg in range(6))
        frame = CycleFrame(index, 0.002 * index, 0.002, 0.0, 0.0, 0, 0, 0, *[six] * 10, 0.5, six)
        payload = bytearray(PLATFORM_FRAME.size)
        pack_into(payload, 0, *frame)
        assert recorder.ring.push(CYCLE_KIND, payload)
    recorder.finish()
    return path


def test_a_recording_of_the_platform_is_refused_and_has_its_known_digest(tmp_path: Path) -> None:
    path = platform_run(tmp_path / "p.mcap")
    with pytest.raises(RecordingError, match="of the platform, one of the arm is needed"):
        ArmRecording.open(path)
    recording = Recording.open(path)
    assert recording.layout is PLATFORM
    assert recording.sha256 == PLATFORM_DIGEST
    assert hashlib.sha256(PLATFORM.schema()).hexdigest() == PLATFORM_SCHEMA


# Of the columns as they are; another column makes another digest, as measured_lag_s did.
PLATFORM_DIGEST = "5e64e66dfe081318a09da2328aaa91520cef934b3ed08c2067e102f5fa6ce4bb"
PLATFORM_SCHEMA = "b44daa77641667796853cc625b057385698ba6b91bb911cc7a9d9781b0e0c01d"
"""Taken before other stations could be recorded."""


def test_a_station_that_is_not_known_is_refused(tmp_path: Path) -> None:
    header = RunHeader((), (), {"station": "crane"}, {})
    with pytest.raises(RecordingError, match="'crane'; known are platform, arm"):
        Recorder(RecorderRing.local(), tmp_path / "a.mcap", header)
    assert not (tmp_path / "a.mcap").exists()
    assert layout_of({}) is PLATFORM
    assert {name: layout.cycle_topic for name, layout in LAYOUTS.items()} == {
        "platform": "/platform/cycle", "arm": "/arm/cycle"
    }  # fmt: skip
