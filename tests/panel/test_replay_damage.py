"""Damaged recordings: read as far as they go, or refused with their path; nothing else happens."""

import random
import re

import numpy as np
import pytest
from campaign import count
from hil.panel.study.models.replay_index import Index
from mcap.writer import Writer
from test_replay_models import write

from hil.panel.shell.models.background import Watch
from hil.panel.study.models.compare_work import read_run
from hil.panel.study.models.replay import FileFeed
from hil.recording.header import RecordingError
from hil.recording.reader import Recording
from hil.recording.writer import RecordingWriter

SPOTS = rb'\["|dropped|lost|modes|actions|codes|outcome|station|scenario'
FILES = 60
"""Files of each kind of damage."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Bytes of a recording."""
    return write(tmp_path_factory.mktemp("sound") / "recording.mcap", 60).read_bytes()


def in_the_facts(data, rng):
    """Bytes that are changed where the run is told of."""
    spots = [found.start() for found in re.finditer(SPOTS, data)]
    for _ in range(rng.choice([1, 2])):
        place = min(rng.choice(spots) + rng.randrange(40), len(data) - 1)
        data[place] = rng.choice([0, 255, rng.randrange(256)])


def anywhere(data, rng):
    """Bytes that are changed in any place."""
    for _ in range(rng.choice([1, 2, 8])):
        data[rng.randrange(len(data))] = rng.randrange(256)


def cut(data, rng):
    """A file that is cut off, and then a byte."""
    del data[rng.randrange(1, len(data)) :]
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


@pytest.mark.parametrize("damage", [in_the_facts, anywhere, cut])
def test_damage_is_refused_with_the_path_or_read_around(tmp_path, sound, damage):
    path, opened, told, refused = tmp_path / "bad.mcap", 0, 0, []
    for seed in range(FILES):
        data = bytearray(sound)
        damage(data, random.Random(f"{damage.__name__} {seed}"))
        path.write_bytes(data)
        try:
            index = Index.read(path)
            opened += 1
            told += bool(index.damage)
            assert index.dropped >= 0
        except RecordingError as error:
            refused.append(str(error))
    assert opened
    assert told
    assert all(why.startswith(f"{path}: ") for why in refused)


def replaced(sound, before, after):
    """A recording with one text exchanged, where it comes first, for one of the same length."""
    assert len(before) == len(after)
    assert before in sound
    return sound.replace(before, after, 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'["PASSED","CLAMPED"]', b'["PASSED" "CLAMPED"]'),
        (b'["PASSED","CLAMPED"]', b'{"PASSED":"CLAMPED"}'),
        (b'["PASSED","CLAMPED"]', b'["PASSED", 12345678]'),
        (b'["PASSED","CLAMPED"]', b'["PASSED","\xff\xffAMPED"]'),
        (b"dropped\x01\x00\x00\x002", b"dropped\x01\x00\x00\x00x"),
        (b"dropped\x01\x00\x00\x002", b"dropped\x01\x00\x00\x003"),
        (b"dropped\x01\x00\x00\x002", b"dropped\x00\x00\x00\x002"),
        (b"station\x08\x00\x00\x00platform", b"station\x08\x00\x00\x00plutform"),
    ],
)
def test_what_is_said_of_the_run_is_taken_from_its_second_copy_if_the_first_is_damaged(
    tmp_path, sound, before, after
):
    path = tmp_path / "good.mcap"
    path.write_bytes(sound)
    good = Index.read(path)
    path.write_bytes(replaced(sound, before, after))
    found = Index.read(path)
    assert found.damage
    assert (found.header, found.layout) == (good.header, good.layout)
    assert len(read_run(path, Watch()).rows) == len(good.t_s)


def test_a_station_that_is_not_known_is_refused_with_its_name(tmp_path):
    path = tmp_path / "other.mcap"
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start()
        writer.add_metadata("run", {"station": "crane"})
        writer.finish()
    for read in (Index.read, lambda where: read_run(where, Watch())):
        with pytest.raises(RecordingError, match=r"other\.mcap: .* station 'crane'"):
            read(path)


def test_a_damaged_file_whose_index_is_sound_is_read_as_far_as_it_goes(tmp_path, sound):
    path, refused, damaged = tmp_path / "bad.mcap", 0, 0
    for seed in range(FILES):
        data = bytearray(sound)
        anywhere(data, random.Random(f"read {seed}"))
        path.write_bytes(data)
        try:
            feed = FileFeed(Index.read(path), lambda: 0.0, fill=False)
        except RecordingError:
            refused += 1
            continue
        feed.read_all()
        damaged += bool(feed.damage)
        feed.close()
    assert refused < FILES
    assert damaged


def table_of(path):
    """Times and frames as the panel reads them, what is damaged as NaN."""
    feed = FileFeed(Index.read(path), lambda: 0.0, fill=False)
    feed.read_all()
    table, damage = feed.frames.table.copy(), feed.damage
    feed.close()
    return table, damage


@pytest.mark.campaign
def test_any_single_wrong_bit_costs_its_chunk_at_most_and_shows_no_wrong_frame(tmp_path, sound):
    path = tmp_path / "recording.mcap"
    path.write_bytes(sound)
    whole, _ = table_of(path)
    sizes = [len(chunk.cycles) for chunk in Index.read(path).chunks]
    rng = random.Random("bits")
    for _ in range(count(10_000)):
        data, bit = bytearray(sound), rng.randrange(8 * len(sound))
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        table, damage = table_of(path)
        read = table[~np.isnan(table[:, 0])]
        at = f"bit {bit % 8} of byte {bit // 8}"
        np.testing.assert_array_equal(read, whole[read[:, 0].astype(int)], at)
        assert len(whole) - len(read) <= max(sizes), at
        assert damage or len(read) == len(whole), at


def test_the_parts_of_a_run_are_replayed_and_read_as_one_without_what_they_share(tmp_path):
    single = write(tmp_path / "single.mcap", 300)
    first, second = tmp_path / "recording.mcap", tmp_path / "recording-2.mcap"
    header = Index.read(single).header
    whole, _ = table_of(single)
    payloads = [frame_bytes(row) for row in whole]
    for path, part, numbers in ((first, 1, range(200)), (second, 2, range(150, 300))):
        writer = RecordingWriter(path, header, part=part, sync=False)
        for number in numbers:
            writer.add_cycle(payloads[number], number)
        writer.flush()
        if part == 2:
            writer.finish({"dropped": "0", "lost": "0"})
        else:
            writer.abandon()
    table, damage = table_of(first)
    np.testing.assert_array_equal(table, whole)
    assert damage == ""
    index = Index.read(first)
    assert (index.parts, index.truncated) == ((first, second), False)
    recording = Recording.open(tmp_path)
    assert recording.parts == index.parts
    assert recording.column("index").tolist() == whole[:, 0].tolist()
    assert (recording.losses, recording.truncated) == ((), False)
    np.testing.assert_array_equal(read_run(first, Watch()).rows, whole)


def test_what_was_lost_between_two_parts_is_named_with_its_time_range(tmp_path):
    single = write(tmp_path / "single.mcap", 300)
    header = Index.read(single).header
    whole, _ = table_of(single)
    for part, numbers in ((1, range(100)), (2, range(130, 300))):
        name = "recording.mcap" if part == 1 else f"recording-{part}.mcap"
        writer = RecordingWriter(tmp_path / name, header, part=part, sync=False)
        for number in numbers:
            writer.add_cycle(frame_bytes(whole[number]), number)
        writer.finish({"dropped": "0", "lost": "30"})
    recording = Recording.open(tmp_path)
    (loss,) = recording.losses
    assert (loss.cycles, loss.damaged) == (30, False)
    ends = (float(whole[99, 1]), float(whole[130, 1]))
    assert (loss.from_s, loss.to_s) == ends
    assert str(loss) == (
        f"{ends[0]:.3f} to {ends[1]:.3f} s, 30 cycles missing: "
        "the recorder ended, recording-2.mcap goes on"
    )


def test_a_file_of_another_run_beside_it_is_no_part(tmp_path):
    write(tmp_path / "recording.mcap", 50)
    write(tmp_path / "recording-2.mcap", 50)
    assert len(Recording.open(tmp_path).parts) == len(Index.read(tmp_path).parts) == 1


def frame_bytes(row):
    """A frame of the platform as it goes into the ring."""
    whole = [
        int(value) if place in (0, 5, 6, 7) else float(value) for place, value in enumerate(row)
    ]
    return FRAME.pack(*whole)
