"""The recorder as a process: same file as inline, and what is on disk survives every death."""

import io
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from alike import rounds_alike
from recording_samples import HEADER, packed, record, sample_frame

from hil.recording import process
from hil.recording.events import ROWS
from hil.recording.header import RecordingError, RunHeader
from hil.recording.process import RecorderProcess
from hil.recording.reader import Recording
from hil.recording.recorder import RecorderRing, RecorderStatus
from hil.timing.realtime import RealClock

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.skipif(sys.platform != "linux", reason="the recorder process needs Linux"),
]


@pytest.fixture
def ring() -> Iterator[RecorderRing]:
    ring = RecorderRing.shared()
    yield ring
    ring.release()


def _push(ring: RecorderRing, first: int, last: int, period_s: float = 0.002) -> None:
    for index in range(first, last):
        assert ring.push(ROWS, packed(sample_frame(index, period_s)))


def _wait(condition: Callable[[], bool]) -> None:
    """Look every 5 ms until the condition holds; 20 s at most."""
    for tick in RealClock().ticks(0.005):
        if condition():
            return
        assert tick.index < 4000, "waited 20 s in vain"


@rounds_alike
def test_it_writes_what_a_dry_run_writes(ring: RecorderRing, tmp_path: Path) -> None:
    recorder = RecorderProcess(ring, tmp_path / "run" / "recording.mcap", HEADER)
    recorder.service()
    assert recorder.ring.status is RecorderStatus.OK
    _push(ring, 0, 1200)
    result = recorder.finish()
    assert recorder.finish() is result
    inline = record(tmp_path / "inline.mcap", [sample_frame(index) for index in range(1200)])
    assert (result.status, result.dropped, result.lost) == (RecorderStatus.DONE, 0, 0)
    assert result.sha256 == inline.sha256
    recording = Recording.open(tmp_path / "run")
    assert (recording.sha256, recording.truncated) == (inline.sha256, False)
    assert recording.scenario == HEADER.scenario
    assert result.written_bytes == (tmp_path / "run" / "recording.mcap").stat().st_size


def test_a_scenario_larger_than_a_pipe_gets_through(ring: RecorderRing, tmp_path: Path) -> None:
    header = RunHeader(HEADER.signals, {}, {"table": ["x" * 1000] * 500})
    RecorderProcess(ring, tmp_path / "a.mcap", header).finish()
    assert Recording.open(tmp_path / "a.mcap").scenario == header.scenario


def test_a_place_that_cannot_be_written_is_refused_at_the_start(
    ring: RecorderRing, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(RecordingError, match=r"file/a\.mcap: cannot be written: File exists"):
        RecorderProcess(ring, tmp_path / "file" / "a.mcap", HEADER)
    with pytest.raises(RecordingError, match="bytes free, at least"):
        RecorderProcess(ring, tmp_path / "b.mcap", HEADER, min_free_bytes=2**62)


def test_a_local_ring_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"RecorderRing\.shared"):
        RecorderProcess(RecorderRing.local(), tmp_path / "a.mcap", HEADER)


def _kill(recorder: RecorderProcess, next_part: int) -> None:
    """Kill the one that writes, as nothing can be caught, and wait for the next one."""
    clock = RealClock()
    os.kill(recorder.ring.recorder_pid, signal.SIGKILL)
    began_s = clock.now_s()
    _wait(lambda: recorder.ring.part == next_part)
    assert clock.now_s() - began_s < 1.0


def test_killed_a_second_one_goes_on_within_a_second_and_nothing_is_lost(
    ring: RecorderRing, tmp_path: Path
) -> None:
    recorder = RecorderProcess(ring, tmp_path / "a.mcap", HEADER)
    _push(ring, 0, 1000)  # 2 s of motion; the last chunk of it is never closed by the first one
    _wait(lambda: 0 < ring.pending < 400)
    assert recorder.service() == ""
    _kill(recorder, 2)
    assert recorder.service() == "the recorder was killed; a-2.mcap goes on"
    assert recorder.service() == ""
    _push(ring, 1000, 2000)
    result = recorder.finish()
    assert (result.status, result.dropped, result.lost) == (RecorderStatus.DONE, 0, 0)
    assert (result.parts, result.sha256, result.failure) == (2, None, "")
    recording = Recording.open(tmp_path / "a.mcap")
    assert recording.parts == (tmp_path / "a.mcap", tmp_path / "a-2.mcap")
    np.testing.assert_array_equal(recording.column("index"), np.arange(2000))
    assert (recording.losses, recording.truncated) == ((), False)
    inline = record(tmp_path / "inline.mcap", [sample_frame(index) for index in range(2000)])
    assert [*np.diff(recording.t_s)] == [*np.diff(Recording.open(inline.path).t_s)]
    assert Recording.open(tmp_path / "a-2.mcap").cycles < 2000, "a part by itself is a part"


def test_killed_again_and_again_each_time_another_one_goes_on(
    ring: RecorderRing, tmp_path: Path
) -> None:
    recorder = RecorderProcess(ring, tmp_path / "a.mcap", HEADER)
    for number in range(1, 5):
        _push(ring, (number - 1) * 100, number * 100)
        _kill(recorder, number + 1)
    result = recorder.finish()
    assert (result.status, result.parts, result.lost) == (RecorderStatus.DONE, 5, 0)
    recording = Recording.open(tmp_path / "a.mcap")
    np.testing.assert_array_equal(recording.column("index"), np.arange(400))


def test_killed_while_the_file_is_ended_another_one_ends_it(
    ring: RecorderRing, tmp_path: Path
) -> None:
    recorder = RecorderProcess(ring, tmp_path / "a.mcap", HEADER)
    _push(ring, 0, 3000)
    os.kill(recorder.ring.recorder_pid, signal.SIGKILL)  # most of it is still in the ring
    result = recorder.finish()
    assert (result.status, result.lost) == (RecorderStatus.DONE, 0)
    assert Recording.open(tmp_path / "a.mcap").cycles == 3000


SLOW_DISK = """import os, time
def slow(sync):
    def slept(fd):
        time.sleep(0.8)
        return sync(fd)
    return slept
os.fsync, os.fdatasync = slow(os.fsync), slow(os.fdatasync)
"""


def test_a_recorder_that_waits_for_its_disk_is_left_alone(
    ring: RecorderRing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(SLOW_DISK, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr("hil.recording.process.FROZEN_S", 0.2)
    recorder = RecorderProcess(ring, tmp_path / "a.mcap", HEADER)
    for first in range(0, 1000, 100):
        _push(ring, first, first + 100)
        _wait(lambda: recorder.service() != "" or ring.pending == 0)
    result = recorder.finish()
    assert (result.status, result.parts, result.lost) == (RecorderStatus.DONE, 1, 0)


def _family(pid: int) -> list[int]:
    """The recorder and its copy, by their session."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                state = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(state[3]) == pid and state[0] != "Z":
                    found.append(int(entry.name))
    return found


def test_a_copy_that_is_killed_is_made_anew_and_goes_on_when_needed(
    ring: RecorderRing, tmp_path: Path
) -> None:
    recorder = RecorderProcess(ring, tmp_path / "a.mcap", HEADER)
    session = recorder.ring.recorder_pid
    _wait(lambda: len(_family(session)) == 2)
    (copy,) = set(_family(session)) - {session}
    os.kill(copy, signal.SIGKILL)
    _wait(lambda: len(set(_family(session)) - {copy}) == 2)
    _push(ring, 0, 10)
    _kill(recorder, 2)
    assert recorder.finish().status is RecorderStatus.DONE
    assert Recording.open(tmp_path / "a.mcap").cycles == 10
    _wait(lambda: _family(session) == [])  # nobody is left behind; a pipe ends before its process


def test_all_killed_at_once_the_run_is_told_that_nobody_records(
    ring: RecorderRing, tmp_path: Path
) -> None:
    recorder = RecorderProcess(ring, tmp_path / "a.mcap", HEADER)
    _push(ring, 0, 2000)  # 4 s of motion
    _wait(lambda: ring.pending == 0)
    os.killpg(recorder.ring.recorder_pid, signal.SIGKILL)
    said: list[str] = []
    _wait(lambda: said.append(recorder.service()) or bool(said[-1]))
    assert said[-1] == "no recorder is left: the rest of the run is not recorded"
    assert recorder.service() == ""
    assert ring.push(ROWS, packed(sample_frame(2000)))  # the loop goes on as before
    result = recorder.finish()
    assert result.status is RecorderStatus.GONE
    assert (result.sha256, result.lost) == (None, 1)
    assert "ended early" in result.problem
    assert result.failure.startswith("recording failed: recorder process ended early (-9)")
    recording = Recording.open(tmp_path / "a.mcap")
    assert recording.truncated
    assert recording.t_s[-1] >= 4.0 - 1.0
    np.testing.assert_array_equal(recording.column("index"), np.arange(recording.cycles))


def test_what_lies_still_is_on_disk_soon_as_well(ring: RecorderRing, tmp_path: Path) -> None:
    recorder = RecorderProcess(ring, tmp_path / "a.mcap", HEADER)
    before = ring.written_bytes
    _push(ring, 0, 10, period_s=0.0)  # motion time stands still
    _wait(lambda: ring.written_bytes > before)
    os.killpg(recorder.ring.recorder_pid, signal.SIGKILL)
    recorder.finish()
    assert Recording.open(tmp_path / "a.mcap").cycles == 10


def test_a_recorder_that_hangs_is_never_waited_for_and_its_losses_are_counted(
    tmp_path: Path,
) -> None:
    ring = RecorderRing.shared(slots=64)
    recorder = RecorderProcess(ring, tmp_path / "a.mcap", HEADER)
    _push(ring, 0, 5)
    _wait(lambda: ring.pending == 0)
    os.kill(recorder.ring.recorder_pid, signal.SIGSTOP)
    os.waitid(os.P_PID, recorder.ring.recorder_pid, os.WSTOPPED | os.WNOWAIT)
    accepted = [ring.push(ROWS, packed(sample_frame(index))) for index in range(5, 205)]
    assert accepted == [True] * 64 + [False] * 136
    recorder.service()
    assert recorder.ring.status is RecorderStatus.OK
    os.kill(recorder.ring.recorder_pid, signal.SIGCONT)
    _wait(lambda: ring.pending == 0)
    _push(ring, 205, 210)
    result = recorder.finish()
    assert (result.status, result.dropped, result.lost) == (RecorderStatus.DONE, 136, 0)
    recording = Recording.open(tmp_path / "a.mcap")
    assert [(gap.after_index, gap.missing) for gap in recording.gaps] == [(68, 136)]
    assert recording.dropped == 136
    ring.release()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_outlives_the_signals_that_end_the_run(
    ring: RecorderRing, tmp_path: Path, number: signal.Signals
) -> None:
    recorder = RecorderProcess(ring, tmp_path / "a.mcap", HEADER)
    assert (
        os.getsid(recorder.ring.recorder_pid) == recorder.ring.recorder_pid
    )  # the terminal's Ctrl-C does not reach it
    os.kill(recorder.ring.recorder_pid, number)
    _push(ring, 0, 100)
    assert recorder.finish().status is RecorderStatus.DONE
    assert Recording.open(tmp_path / "a.mcap").cycles == 100


def test_a_pinned_loop_does_not_keep_the_recorder_on_its_processor(
    ring: RecorderRing, tmp_path: Path
) -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        recorder = RecorderProcess(ring, tmp_path / "a.mcap", HEADER)
        assert os.sched_getaffinity(recorder.ring.recorder_pid) >= before
        recorder.finish()
    finally:
        os.sched_setaffinity(0, before)


def test_in_real_time_every_chunk_goes_through_to_the_disk(
    ring: RecorderRing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {}

    def refuse(*_: object, **options: object) -> None:
        asked.update(options)
        raise RecordingError("enough was seen")

    order = {
        "fd": os.dup(ring.fileno()),
        "parent": os.getpid(),
        "path": str(tmp_path / "a.mcap"),
        "min_free_bytes": 17,
        "header": json.loads(HEADER.to_json()),
    }
    said = []
    monkeypatch.setattr(process, "Recorder", refuse)
    monkeypatch.setattr(process, "Standby", lambda: SimpleNamespace(keep=int, end=int))
    monkeypatch.setattr(process, "_say", lambda **answer: said.append(answer))
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(os, "sched_setaffinity", lambda *_: None)
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(order).encode() + b"\n"))
    )
    assert process.main() == 2
    assert said == [{"refused": "enough was seen"}]
    assert asked == {"sync": True, "min_free_bytes": 17, "part": 1}


PARENT = """
import os, resource, signal, sys
sys.path[:0] = sys.argv[2:]
from pathlib import Path
from recording_samples import HEADER, packed, sample_frame
from hil.recording.events import ROWS
from hil.recording.process import RecorderProcess
from hil.recording.recorder import RecorderRing
ring = RecorderRing.shared()
{limit}
recorder = RecorderProcess(ring, Path(sys.argv[1]), HEADER)
for index in range(1000):
    assert ring.push(ROWS, packed(sample_frame(index)))
print(recorder.ring.recorder_pid, flush=True)
{end}
"""


def _parent(path: Path, limit: str, end: str) -> list[str]:
    """Start a loop's process; {limit} and {end} are lines of it."""
    return [
        sys.executable,
        "-c",
        PARENT.format(limit=limit, end=end),
        str(path),
        str(Path(__file__).parent),
        str(Path(__file__).parents[1]),
    ]


def test_when_the_loop_dies_the_file_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    command = _parent(path, "", "sys.stdin.readline()\nos.kill(os.getpid(), signal.SIGKILL)")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        recorder = os.pidfd_open(int(parent.stdout.readline()))
        parent.communicate(b"\n", timeout=30)
        assert parent.returncode == -signal.SIGKILL
    ended, _, _ = select.select([recorder], [], [], 30.0)
    os.close(recorder)
    assert ended
    recording = Recording.open(path)
    assert (recording.cycles, recording.truncated, recording.gaps) == (1000, False, ())


def test_on_a_full_disk_the_loop_goes_on_and_earlier_chunks_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))"
    end = (
        "import json; r = recorder.finish(); print(json.dumps([r.status.name, r.lost, r.problem]))"
    )
    done = subprocess.run(_parent(path, limit, end), capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    status, lost, problem = json.loads(done.stdout.splitlines()[-1])
    recording = Recording.open(path)
    assert status == "DEGRADED"
    assert problem == f"{path}: File too large"
    assert 0 < recording.cycles == 1000 - lost
    assert (recording.truncated, recording.damage) == (True, "")
