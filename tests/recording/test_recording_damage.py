"""One wrong bit costs its chunk: it is named with its place and time, and the rest is read."""

import json
import random
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from campaign import count
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from recording_samples import HEADER, packed, sample_frame

from hil.recording.events import EVENTS, ROWS, EventKind, EventRecord, Level
from hil.recording.export import export_csv
from hil.recording.header import RecordingError
from hil.recording.mcap_walk import CHUNK, METADATA, Found, Walk
from hil.recording.reader import Recording
from hil.recording.recorder import Recorder, RecorderRing

CYCLES = 60
OF_A_CHUNK = 10
PERIOD_S = 0.05


class Sound(NamedTuple):
    """A recording before it is damaged: its bytes, and what is in it."""

    path: Path
    data: bytes
    recording: Recording


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    """A small recording of six chunks, with an event every seventh cycle."""
    path = tmp_path_factory.mktemp("sound") / "a.mcap"
    recorder = Recorder(RecorderRing.local(slots=16), path, HEADER)
    for index in range(CYCLES):
        recorder.ring.push(ROWS, packed(sample_frame(index, PERIOD_S)))
        if index % 7 == 0:
            event = EventRecord(
                index * PERIOD_S, index, EventKind.NOTE, Level.INFO, "x", f"{index}"
            )
            recorder.ring.push(EVENTS, event.to_bytes())
        recorder.service()
    recorder.finish()
    return Sound(path, path.read_bytes(), Recording.open(path))


def opened(sound: Sound, data: bytes, name: str = "bad.mcap") -> Recording:
    path = sound.path.with_name(name)
    path.write_bytes(data)
    return Recording.open(path)


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def chunks(sound: Sound) -> list[Found]:
    with sound.path.open("rb") as file:
        return [p for p in Walk(file).pieces() if isinstance(p, Found) and p.opcode == CHUNK]


def missing_of(found: Recording, sound: Sound) -> list[int]:
    """Cycles that are not there; every one that is there is as it was written, to the bit."""
    index = found.column("index")
    assert found.signals == sound.recording.signals
    for name, column in sound.recording.columns.items():
        np.testing.assert_array_equal(found.column(name), column[index])
    return sorted(set(range(CYCLES)) - set(index.tolist()))


def judge_one_bit(found: Recording, sound: Sound) -> None:
    """What is promised for any single wrong bit of a finished file."""
    assert found.damage, "damage must be told"
    missing = missing_of(found, sound)
    assert len(missing) <= OF_A_CHUNK
    assert found.scenario == sound.recording.scenario
    assert found.metadata["run"] == sound.recording.metadata["run"]
    assert (found.modes, found.actions) == (sound.recording.modes, sound.recording.actions)
    assert all(event in sound.recording.events for event in found.events)
    lost_events = [e.index for e in sound.recording.events if e not in found.events]
    assert set(lost_events) <= set(missing)
    if missing:
        assert missing == list(range(missing[0], missing[0] + len(missing)))
        (loss,) = [loss for loss in found.losses if loss.cycles != 0]
        before, after = (missing[0] - 1) * PERIOD_S, (missing[-1] + 1) * PERIOD_S
        assert np.isnan(loss.from_s) if missing[0] == 0 else loss.from_s == pytest.approx(before)
        if missing[-1] == CYCLES - 1:
            assert loss.cycles is None, "how many came after the last that is there is not known"
            assert np.isnan(loss.to_s)
        else:
            assert loss.cycles == len(missing)
            assert loss.to_s == pytest.approx(after)


def test_the_library_reads_what_we_read(sound: Sound) -> None:
    """The undamaged file before an independent judge: the reader of the mcap library."""
    with sound.path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        rows = [row for *_, row in reader.iter_decoded_messages(topics=["/platform/rows"])]
        attached = {one.name: json.loads(one.data) for one in reader.iter_attachments()}
        tables = {one.name: one.metadata for one in reader.iter_metadata()}
    ours = sound.recording
    assert [row.index for row in rows] == ours.column("index").tolist()
    assert [row.t_s for row in rows] == ours.t_s.tolist()
    measured = np.array([row.measured_length_m for row in rows])
    np.testing.assert_array_equal(measured, ours.column("measured_length_m"))
    assert attached["scenario.json"] == attached["header.json"]["scenario"] == ours.scenario
    assert attached["header.json"]["metadata"] == HEADER.metadata
    assert {k: v for k, v in tables["run"].items() if k != "crc32"} == HEADER.metadata
    assert (ours.losses, ours.damage, ours.truncated) == ((), "", False)


@pytest.mark.campaign
def test_any_single_wrong_bit_costs_its_chunk_at_most(sound: Sound) -> None:
    bits = 8 * len(sound.data)
    rng = random.Random(3)
    for bit in (rng.randrange(bits) for _ in range(count(20_000))):
        try:
            judge_one_bit(opened(sound, flipped(sound.data, bit)), sound)
        except Exception as error:
            error.add_note(f"bit {bit % 8} of byte {bit // 8} of {len(sound.data)}")
            raise


def heads(sound: Sound) -> list[int]:
    """Bits of the places that everything hangs on: heads of records, both marks, the end."""
    with sound.path.open("rb") as file:
        starts = [piece.at for piece in Walk(file).pieces()]
    places = {place for start in starts for place in range(start, start + 9)}
    return [8 * place + (3 * place) % 8 for place in sorted(places | {*range(8)})]


@pytest.mark.campaign
def test_a_wrong_bit_in_any_head_costs_its_chunk_at_most(sound: Sound) -> None:
    bits = heads(sound)
    for bit in random.Random(5).sample(bits, min(len(bits), count(10_000))):
        try:
            judge_one_bit(opened(sound, flipped(sound.data, bit)), sound)
        except Exception as error:
            error.add_note(f"bit {bit % 8} of byte {bit // 8} of {len(sound.data)}")
            raise


@pytest.mark.campaign
def test_a_wrong_bit_in_a_file_that_was_cut_off_gives_no_wrong_row(sound: Sound) -> None:
    rng = random.Random(4)
    with sound.path.open("rb") as file:
        tables = [p for p in Walk(file).pieces() if isinstance(p, Found) and p.opcode == METADATA]
    second_copy = tables[1].body + tables[1].length  # of the table of rows
    for _ in range(count(10_000)):
        data = sound.data[: rng.randrange(1, len(sound.data))]
        data = flipped(data, rng.randrange(8 * len(data)))
        try:
            found = opened(sound, data)
        except RecordingError:
            assert len(data) < second_copy
            continue
        except Exception as error:
            error.add_note(f"{len(data)} bytes")
            raise
        missing_of(found, sound)
        export_csv(found, sound.path.with_name("bad.csv"))


def test_damage_is_named_with_byte_time_range_and_count(sound: Sound) -> None:
    third = chunks(sound)[2]
    found = opened(sound, flipped(sound.data, 8 * (third.body + 200)))
    assert (found.cycles, found.truncated) == (50, False)
    (loss,) = found.losses
    assert str(loss).startswith(
        f"0.950 to 1.500 s, 10 cycles missing: byte {third.at}: a record is damaged: "
    )
    assert found.damage == str(loss)
    assert [(gap.after_index, gap.missing) for gap in found.gaps] == [(19, 10)]


def test_two_damaged_chunks_are_two_losses(sound: Sound) -> None:
    places = chunks(sound)
    data = flipped(sound.data, 8 * (places[1].body + 100))
    found = opened(sound, flipped(data, 8 * (places[4].body + 100)))
    assert [loss.cycles for loss in found.losses] == [10, 10]
    assert found.cycles == 40


def test_a_length_that_swallows_the_file_costs_one_chunk(sound: Sound) -> None:
    """The length of the second chunk's record says 2^40 bytes more."""
    second = chunks(sound)[1]
    found = opened(sound, flipped(sound.data, 8 * (second.at + 6)))
    assert missing_of(found, sound) == list(range(10, 20))
    assert not found.truncated


def test_the_first_chunk_can_be_done_without(sound: Sound) -> None:
    found = opened(sound, flipped(sound.data, 8 * (chunks(sound)[0].body + 60)))
    assert missing_of(found, sound) == list(range(10))
    assert str(found.losses[0]).startswith("before 0.500 s, 10 cycles missing: ")
