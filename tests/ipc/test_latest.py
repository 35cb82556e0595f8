"""The newest word: once, whole, undamaged, whoever dies over it; with what is attached to it."""

import struct

import pytest

from hil.ipc.latest import Latest


class Word(Latest, fields="Id"):
    """Two fields."""


class Letter(Latest, fields="I", attachment_max_bytes=32):
    """A field with an attachment."""


class Scene:
    """A buffer in which something happens while a part of it is copied or replaced."""

    def __init__(self, buffer, *, read=None, write=None):
        self.buffer, self.read, self.write = buffer, read, write

    def __len__(self):
        return len(self.buffer)

    def __getitem__(self, part):
        found = self.buffer[part]
        if self.read is not None:
            happens, self.read = self.read, None
            happens()
        return found

    def __setitem__(self, part, content):
        if self.write is not None:
            self.write(part, content)
        self.buffer[part] = content


def ends(kind=Word):
    buffer = bytearray(kind.slot_bytes)
    return kind(buffer), kind(buffer), buffer


def test_the_newest_comes_once_and_nothing_queues():
    writer, reader, _ = ends()
    assert reader.get() is None
    assert not reader.pending
    writer.put(1, 0.5)
    writer.put(2, 1.5)
    assert reader.pending
    assert reader.get() == (2, 1.5)
    assert reader.get() is None
    assert not reader.pending
    assert (reader.torn, reader.corrupt) == (0, 0)


def test_what_is_overwritten_while_it_is_copied_is_torn_and_comes_at_the_next_look():
    writer, reader, buffer = ends()
    writer.put(1, 0.5)
    reader.buffer = Scene(buffer, read=lambda: writer.put(2, 1.5))
    assert reader.get() is None
    assert (reader.torn, reader.corrupt) == (1, 0)
    assert reader.get() == (2, 1.5)


@pytest.mark.parametrize("done", [0, 1, 12, 20])
def test_a_writer_that_dies_over_its_work_leaves_a_torn_slot_which_the_next_one_mends(done):
    writer, reader, buffer = ends()
    writer.put(1, 0.5)
    assert reader.get() == (1, 0.5)

    def die(part, content):
        buffer[part.start : part.start + done] = content[:done]
        raise SystemExit

    writer.buffer = Scene(buffer, write=die)
    with pytest.raises(SystemExit):
        writer.put(2, 1.5)
    assert [reader.get() for _ in range(3)] == [None] * 3
    assert (reader.torn, reader.corrupt) == (3, 0)
    Word(buffer).put(3, 2.5)
    assert reader.get() == (3, 2.5)


def test_a_damaged_word_is_counted_once_and_the_next_one_comes():
    writer, reader, buffer = ends()
    writer.put(1, 0.5)
    buffer[20] ^= 1
    assert [reader.get() for _ in range(3)] == [None] * 3
    assert (reader.torn, reader.corrupt) == (0, 1)
    writer.put(2, 1.5)
    assert reader.get() == (2, 1.5)


def test_an_old_word_under_a_new_counter_is_damaged():
    writer, reader, buffer = ends()
    writer.put(1, 0.5)
    assert reader.get() == (1, 0.5)
    struct.pack_into("<Q", buffer, 0, 4)
    assert reader.get() is None
    assert reader.corrupt == 1


def test_another_writer_goes_on_counting_so_that_its_first_word_is_new():
    writer, reader, buffer = ends()
    writer.put(1, 0.5)
    assert reader.get() == (1, 0.5)
    Word(buffer).put(2, 1.5)
    assert reader.get() == (2, 1.5)


def test_an_attachment_comes_with_its_word_and_stays_until_its_number_changes():
    writer, reader, buffer = ends(Letter)
    writer.put(1, attachment=b"first", serial=1)
    assert reader.get()[0] == 1
    assert reader.attachment == b"first"
    writer.put(2, attachment=b"first", serial=1)
    buffer[-32] ^= 1  # it is not looked at again
    assert reader.get()[0] == 2
    assert reader.attachment == b"first"
    writer.put(3, attachment=b"second", serial=2)
    assert reader.get()[0] == 3
    assert reader.attachment == b"second"


def test_a_damaged_attachment_damages_its_word_and_the_last_one_stays():
    writer, reader, buffer = ends(Letter)
    writer.put(1, attachment=b"first", serial=1)
    assert reader.get()[0] == 1
    writer.put(2, attachment=b"second", serial=2)
    buffer[-32] ^= 1
    assert reader.get() is None
    assert (reader.corrupt, reader.attachment) == (1, b"first")
    writer.put(3, attachment=b"second", serial=2)
    assert reader.get()[0] == 3
    assert reader.attachment == b"second"


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="an attachment of 33 bytes; at most 32 bytes"):
        Letter.local().put(1, attachment=bytes(33), serial=1)
    with pytest.raises(ValueError, match="a slot of 31 bytes; 32 are needed"):
        Word(bytearray(31))
    with pytest.raises(ValueError, match=r"Word\.shared"):
        Word.local().fileno()
