"""Damaged recordings: read as far as they go, or refused with their path; nothing else happens."""

import random
import re
import zlib

import pytest
from test_replay_models import write

from hil.panel.models.background import Watch
from hil.panel.models.compare_work import read_run
from hil.panel.models.replay import FileFeed
from hil.panel.models.replay_index import Index
from hil.recording.header import RecordingError

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
    path, opened, refused = tmp_path / "bad.mcap", 0, []
    for seed in range(FILES):
        data = bytearray(sound)
        damage(data, random.Random(f"{damage.__name__} {seed}"))
        path.write_bytes(data)
        try:
            index = Index.read(path)
            opened += 1
            assert index.dropped >= 0
        except RecordingError as error:
            refused.append(str(error))
    assert opened
    assert refused or damage is not in_the_facts
    assert all(why.startswith(f"{path}: ") for why in refused)


def replaced(sound, before, after):
    """A recording with one text exchanged for another one of the same length."""
    assert len(before) == len(after)
    assert sound.count(before) == 1
    return sound.replace(before, after)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (b'["PASSED","CLAMPED"]', b'["PASSED" "CLAMPED"]', "codes, actions"),
        (b'["PASSED","CLAMPED"]', b'{"PASSED":"CLAMPED"}', "need a JSON list of names"),
        (b'["PASSED","CLAMPED"]', b'["PASSED", 12345678]', "need a JSON list of names"),
        (b'["PASSED","CLAMPED"]', b'["PASSED","\xff\xffAMPED"]', ""),
        (b"dropped\x01\x00\x00\x002", b"dropped\x01\x00\x00\x00x", "outcome, dropped = 'x'"),
        (b"dropped\x01\x00\x00\x002", b"dropped\x01\x00\x00\x00-", "need a whole number"),
        (b"dropped\x01\x00\x00\x002", b"dropped\x00\x00\x00\x002", ""),
        (
            b"station\x08\x00\x00\x00platform",
            b"station\x08\x00\x00\x00plutform",
            "station 'plutform'",
        ),
    ],
)
def test_what_is_said_of_the_run_is_refused_with_its_place_and_value(
    tmp_path, sound, before, after, why
):
    path = tmp_path / "bad.mcap"
    path.write_bytes(replaced(sound, before, after))
    if not why:  # the record itself is damaged: it is left out, and this is told
        assert Index.read(path).damage
        return
    for read in (Index.read, lambda where: read_run(where, Watch())):
        with pytest.raises(RecordingError, match=re.escape(why)) as refused:
            read(path)
        assert str(refused.value).startswith(f"{path}: ")


def test_a_scenario_that_is_no_object_is_refused(tmp_path, sound):
    path, data = tmp_path / "bad.mcap", bytearray(sound)
    start = data.index(b"scenario.json") - 20  # two times and the name's length come before
    begin, end = data.index(b"{", start), data.index(b"\n}", start) + 2
    data[begin:end] = b"[".ljust(end - begin - 1) + b"]"
    data[end : end + 4] = zlib.crc32(data[start:end]).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(RecordingError, match=r"bad\.mcap: scenario\.json holds \[\]; need an obj"):
        Index.read(path)


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
