"""The file: what goes in comes out, the same bytes each time, and other tools can read it."""

import hashlib
import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap.records import Chunk
from mcap.stream_reader import StreamReader
from mcap_ros2.decoder import DecoderFactory
from recording_samples import HEADER, packed, record, sample_frame
from row_samples import PLATFORM, CycleFrame
from scipy.spatial.transform import Rotation

from hil.recording.events import EVENTS, ROWS, EventKind, EventRecord, Level
from hil.recording.export import export_csv
from hil.recording.header import RecordingError, RunHeader, code_name
from hil.recording.reader import Gap, Recording
from hil.recording.recorder import Recorder, RecorderRing, RecorderStatus
from hil.recording.rows import RowPoses, quaternion
from hil.recording.writer import RecordingWriter

EVENT = EventRecord(
    0.25, 125, EventKind.VIOLATION, Level.WARNING, "gate", "leg 3: too fast", {"leg": 3, "v": 0.5}
)


def test_every_field_of_every_cycle_comes_back(tmp_path: Path) -> None:
    frames = [sample_frame(index) for index in range(700)]
    frames[3] = frames[3]._replace(sent_length_m=(math.nan,) * 6, reached_residual_m=math.nan)
    frames[4] = frames[4]._replace(asked_speed_m_s=(1.0, math.nan, 3.0, -0.0, 5e-324, 1e308))
    result = record(tmp_path / "run" / "recording.mcap", frames)
    assert (result.status, result.dropped, result.lost) == (RecorderStatus.DONE, 0, 0)
    recording = Recording.open(tmp_path / "run")
    assert recording.cycles == 700
    assert not recording.truncated
    assert recording.damage == ""
    assert list(recording.columns) == list(frames[0]._fields)
    for name in frames[0]._fields:
        expected = np.array([getattr(frame, name) for frame in frames])
        np.testing.assert_array_equal(recording.column(name), expected, err_msg=name)
    assert np.signbit(recording.column("asked_speed_m_s")[4, 3])
    np.testing.assert_array_equal(recording.t_s, recording.column("t_s"))


def test_what_is_known_of_the_run_comes_back(tmp_path: Path) -> None:
    result = record(tmp_path / "a.mcap", [sample_frame(0)])
    recording = Recording.open(tmp_path / "a.mcap")
    assert recording.scenario == HEADER.scenario
    assert recording.metadata["run"] == HEADER.metadata
    assert recording.metadata["outcome"] == {
        "dropped": "0",
        "lost": "0",
        "sha256": result.sha256,
    }
    assert (recording.modes, recording.actions) == (HEADER.modes, HEADER.actions)


def test_events_come_back_in_order(tmp_path: Path) -> None:
    recorder = Recorder(RecorderRing.local(), tmp_path / "a.mcap", HEADER)
    later = EventRecord(0.5, 250, EventKind.MODE, Level.INFO, "loop", "ENGAGED → HOLD")
    for event in (EVENT, later):
        recorder.ring.push(EVENTS, event.to_bytes())
    recorder.finish()
    assert Recording.open(tmp_path / "a.mcap").events == (EVENT, later)


def test_columns_are_read_only_and_a_wrong_name_lists_the_right_ones(tmp_path: Path) -> None:
    record(tmp_path / "a.mcap", [sample_frame(0)])
    recording = Recording.open(tmp_path / "a.mcap")
    for column in recording.columns.values():
        assert column.flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0
    with pytest.raises(RecordingError, match=r"no column 'length'.*measured_length_m"):
        recording.column("length")


def test_the_same_frames_give_the_same_bytes_and_digest(tmp_path: Path) -> None:
    frames = [sample_frame(index) for index in range(600)]
    first = record(tmp_path / "a.mcap", frames)
    second = record(tmp_path / "b.mcap", frames)
    assert (tmp_path / "a.mcap").read_bytes() == (tmp_path / "b.mcap").read_bytes()
    assert first.sha256 == second.sha256
    frames[300] = frames[300]._replace(reached_residual_m=1.1e-9)
    assert record(tmp_path / "c.mcap", frames).sha256 != first.sha256


def test_the_digest_is_that_of_the_chunks_before_compression(tmp_path: Path) -> None:
    result = record(tmp_path / "a.mcap", [sample_frame(index) for index in range(400)])
    digest = hashlib.sha256()
    with (tmp_path / "a.mcap").open("rb") as file:
        for found in StreamReader(file, emit_chunks=True).records:
            if isinstance(found, Chunk):
                digest.update(zstandard.decompress(found.data, found.uncompressed_size))
    assert result.sha256 == digest.hexdigest()
    assert Recording.open(tmp_path / "a.mcap").sha256 == result.sha256


def test_ros_reads_every_message_by_the_schema_beside_it(tmp_path: Path) -> None:
    recorder = Recorder(RecorderRing.local(), tmp_path / "a.mcap", HEADER)
    recorder.ring.push(ROWS, packed(sample_frame(3)))
    recorder.ring.push(EVENTS, EVENT.to_bytes())
    recorder.finish()
    seen: dict[str, Any] = {}
    with (tmp_path / "a.mcap").open("rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        assert reader.get_header().profile == "ros2"
        for schema, channel, message, decoded in reader.iter_decoded_messages():
            assert schema is not None
            assert (schema.encoding, channel.message_encoding) == ("ros2msg", "cdr")
            assert message.log_time == message.publish_time
            seen[channel.topic] = schema.name, message.log_time, decoded
    name, time_ns, row = seen.pop("/platform/rows")
    assert (name, time_ns) == ("hil_msgs/msg/PlatformRow", 6_000_000)
    assert (row.index, row.mode, row.action, row.flags) == (3, 2, 1, 3)
    assert tuple(row.asked_length_m) == sample_frame(3).asked_length_m
    name, time_ns, event = seen.pop("/platform/events")
    assert (name, time_ns) == ("foxglove_msgs/msg/Log", 250_000_000)
    assert (event.timestamp.sec, event.timestamp.nanosec) == (0, 250_000_000)
    assert (event.t_s, event.index, event.level) == (0.25, 125, Level.WARNING)
    assert event.kind == 1
    assert (event.name, event.message, event.file) == ("gate", "leg 3: too fast", "")
    assert json.loads(event.data) == {"leg": 3, "v": 0.5}
    name, time_ns, shown = seen.pop("/platform/tf")
    assert (name, time_ns) == ("tf2_msgs/msg/TFMessage", 6_000_000)
    told = [(one.header.frame_id, one.child_frame_id) for one in shown.transforms]
    assert told == [("base", "platform_wanted"), ("base", "platform_reached")]
    assert shown.transforms[1].transform.translation.y == sample_frame(3).reached_pose[1]
    assert seen == {}


def test_chunks_span_at_most_half_a_second(tmp_path: Path) -> None:
    record(tmp_path / "a.mcap", [sample_frame(index, 0.01) for index in range(1000)])
    with (tmp_path / "a.mcap").open("rb") as file:
        summary = make_reader(file).get_summary()
    assert summary is not None
    spans = [c.message_end_time - c.message_start_time for c in summary.chunk_indexes]
    assert len(spans) == 20
    assert max(spans) < 500_000_000


def test_poses_are_shown_at_most_fifty_times_a_second(tmp_path: Path) -> None:
    record(tmp_path / "a.mcap", [sample_frame(index, 0.001) for index in range(1000)])
    with (tmp_path / "a.mcap").open("rb") as file:
        times = [m.log_time for _, _, m in make_reader(file).iter_messages(topics="/platform/tf")]
    assert len(times) == 50
    assert min(np.diff(times)) >= 20_000_000


ANGLE = st.floats(-3.1, 3.1)


@given(alpha_rad=ANGLE, beta_rad=ANGLE, gamma_rad=ANGLE)
def test_the_quaternion_is_that_of_z_y_x(
    alpha_rad: float, beta_rad: float, gamma_rad: float
) -> None:
    ours = Rotation.from_quat(quaternion(alpha_rad, beta_rad, gamma_rad)).as_matrix()
    theirs = Rotation.from_euler("ZYX", [alpha_rad, beta_rad, gamma_rad]).as_matrix()
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_a_pose_that_is_not_there_is_not_shown() -> None:
    pose, gone = (0.1, 0.2, 0.9, 0.0, 0.0, 0.0), (0.1, 0.2, 0.9, 0.0, math.nan, 0.0)
    poses = RowPoses(PLATFORM).of
    frame = CycleFrame(0, 0.0, wanted_pose=pose, reached_pose=gone)
    ((frame_id, child, values),) = poses(frame.to_bytes())
    assert (frame_id, child) == ("base", "platform_wanted")
    assert values == (0.1, 0.2, 0.9, 0.0, 0.0, 0.0, 1.0)
    assert poses(frame._replace(wanted_pose=gone).to_bytes()) == []


def test_missing_cycles_are_reported(tmp_path: Path) -> None:
    indices = [2, 3, 4, 8, 9, 11]
    record(tmp_path / "a.mcap", [sample_frame(index) for index in indices])
    recording = Recording.open(tmp_path / "a.mcap")
    assert recording.gaps == (Gap(-1, 2), Gap(4, 3), Gap(9, 1))


def test_dropped_entries_are_in_the_recording(tmp_path: Path) -> None:
    recorder = Recorder(RecorderRing.local(slots=4), tmp_path / "a.mcap", HEADER)
    for index in range(10):  # without a turn for the recorder, six do not fit
        recorder.ring.push(ROWS, packed(sample_frame(index)))
    result = recorder.finish()
    assert (result.dropped, result.lost) == (6, 0)
    recording = Recording.open(tmp_path / "a.mcap")
    assert (recording.cycles, recording.dropped) == (4, 6)


def test_a_dry_run_drops_nothing_however_small_the_ring(tmp_path: Path) -> None:
    recorder = Recorder(RecorderRing.local(slots=2), tmp_path / "a.mcap", HEADER)
    for index in range(50):
        assert recorder.ring.push(ROWS, packed(sample_frame(index)))
        recorder.service()
    assert recorder.finish().dropped == 0
    assert Recording.open(tmp_path / "a.mcap").gaps == ()


@pytest.mark.parametrize("t_s", [math.nan, math.inf, -math.inf, -1.0, 1e300])
def test_a_time_that_cannot_be_does_not_end_the_recording(tmp_path: Path, t_s: float) -> None:
    frames = [sample_frame(index) for index in range(5)]
    frames[2] = frames[2]._replace(t_s=t_s)
    result = record(tmp_path / "a.mcap", frames)
    recording = Recording.open(tmp_path / "a.mcap")
    assert (result.status, recording.cycles) == (RecorderStatus.DONE, 5)
    assert recording.t_s[2] == t_s or not math.isfinite(t_s)


def test_entries_that_cannot_be_understood_are_counted(tmp_path: Path) -> None:
    recorder = Recorder(RecorderRing.local(), tmp_path / "a.mcap", HEADER)
    good = packed(sample_frame(0))
    for kind, payload in ((ROWS, good[:-1]), (EVENTS, b"{}"), (9, b""), (ROWS, good)):
        recorder.ring.push(kind, payload)
    result = recorder.finish()
    assert (result.status, result.lost) == (RecorderStatus.DONE, 3)
    assert Recording.open(tmp_path / "a.mcap").cycles == 1
    assert Recording.open(tmp_path / "a.mcap").dropped == 3


def test_a_code_without_a_name_is_shown_as_its_number(tmp_path: Path) -> None:
    record(tmp_path / "a.mcap", [sample_frame(0)._replace(mode=77)])
    recording = Recording.open(tmp_path / "a.mcap")
    assert code_name(recording.modes, recording.column("mode")[0]) == "77"
    rows = export_csv(recording, tmp_path / "a.csv").read_text().splitlines()
    assert rows[1].split(",")[5] == "77"


def test_finishing_twice_tells_the_same(tmp_path: Path) -> None:
    recorder = Recorder(RecorderRing.local(), tmp_path / "a.mcap", HEADER)
    assert recorder.finish() is recorder.finish()
    assert recorder.ring.status is RecorderStatus.DONE
    assert recorder.ring.written_bytes == (tmp_path / "a.mcap").stat().st_size


def test_an_existing_recording_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(b"precious")
    with pytest.raises(RecordingError, match=r"a\.mcap: cannot be written: File exists"):
        RecordingWriter(path, HEADER)
    assert path.read_bytes() == b"precious"


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(RecordingError, match=r"file/run/a\.mcap: cannot be written: Not a dir"):
        RecordingWriter(tmp_path / "file" / "run" / "a.mcap", HEADER)


def test_too_little_room_is_refused_with_both_figures(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=rf"bytes free, at least {2**62} are needed"):
        RecordingWriter(tmp_path / "a.mcap", HEADER, min_free_bytes=2**62)
    assert list(tmp_path.iterdir()) == []


def test_a_scenario_that_is_not_json_leaves_no_file(tmp_path: Path) -> None:
    header = RunHeader(PLATFORM, {}, {"object": object()})
    with pytest.raises(TypeError):
        RecordingWriter(tmp_path / "a.mcap", header)
    assert list(tmp_path.iterdir()) == []


def test_a_header_survives_its_json() -> None:
    assert RunHeader.from_mapping(json.loads(HEADER.to_json())) == HEADER


class _FullDisk:
    """Lets so many bytes through, then refuses like a full disk; a part of a write may pass."""

    def __init__(self, room: int) -> None:
        self.room = room

    def __call__(self, fd: int, data: bytes) -> int:
        if self.room <= 0:
            raise OSError(28, "No space left on device")
        part = bytes(data[: self.room])
        self.room -= len(part)
        return real_write(fd, part)


real_write = os.write


@pytest.mark.parametrize("room", [90_000, 100_000, 150_001, 200_000])
def test_on_a_full_disk_earlier_chunks_stay_and_losses_are_exact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    path = tmp_path / "a.mcap"
    recorder = Recorder(RecorderRing.local(), path, HEADER)
    monkeypatch.setattr("hil.recording.writer.os.write", _FullDisk(room))
    for index in range(2000):
        assert recorder.ring.push(ROWS, packed(sample_frame(index)))
        recorder.service()
    result = recorder.finish()
    recorder.service()
    assert recorder.ring.status is RecorderStatus.DEGRADED
    assert result.status is RecorderStatus.DEGRADED
    assert result.sha256 is None
    assert result.problem == f"{path}: No space left on device"
    recording = Recording.open(path)
    assert recording.truncated
    assert recording.damage == ""
    assert 0 < recording.cycles < 2000
    assert result.lost == 2000 - recording.cycles
    assert result.written_bytes == path.stat().st_size
    np.testing.assert_array_equal(recording.column("index"), np.arange(recording.cycles))


def test_a_disk_that_takes_a_few_bytes_at_a_time_gets_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = [sample_frame(index) for index in range(20)]
    record(tmp_path / "a.mcap", frames)
    monkeypatch.setattr("hil.recording.writer.os.write", lambda fd, data: real_write(fd, data[:7]))
    record(tmp_path / "b.mcap", frames)
    assert (tmp_path / "a.mcap").read_bytes() == (tmp_path / "b.mcap").read_bytes()


def test_a_disk_that_refuses_the_last_bytes_loses_no_cycle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder(RecorderRing.local(), tmp_path / "a.mcap", HEADER)
    recorder.ring.push(ROWS, packed(sample_frame(0)))
    recorder.drain(now_s=0.0)
    recorder.drain(now_s=1.0)
    monkeypatch.setattr("hil.recording.writer.os.write", _FullDisk(0))
    result = recorder.finish()
    assert (result.status, result.lost) == (RecorderStatus.DEGRADED, 0)
    assert Recording.open(tmp_path / "a.mcap").cycles == 1


def test_a_refused_sync_is_a_failure_of_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder(RecorderRing.local(), tmp_path / "a.mcap", HEADER, sync=True)

    def refuse(fd: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("hil.recording.writer._sync_data", refuse)
    recorder.ring.push(ROWS, packed(sample_frame(0)))
    recorder.drain(now_s=0.0)
    recorder.drain(now_s=1.0)
    recorder.service()
    assert recorder.ring.status is RecorderStatus.DEGRADED
    assert recorder.ring.lost == 1
    assert "Input/output error" in recorder.finish().problem


def test_a_chunk_is_closed_by_the_clock_when_motion_time_stands_still(tmp_path: Path) -> None:
    recorder = Recorder(RecorderRing.local(), tmp_path / "a.mcap", HEADER)
    still = CycleFrame(0, 0.0, 0.0, 0.0, 0.0, 0, 0)
    for now_s, cycles in ((10.0, 0), (10.2, 0), (10.5, 3), (10.9, 3), (11.0, 5)):
        recorder.ring.push(ROWS, packed(still))
        recorder.drain(now_s)
        assert Recording.open(tmp_path / "a.mcap").cycles == cycles
    recorder.finish()
