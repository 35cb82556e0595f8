"""Memory that processes share: anonymous files (Linux memfd), handed down as descriptors.

Such a file has no name to collide with or to leave behind, and it is freed with the last process
that holds it, even after `kill -9`. Words are aligned 8-byte stores, and stores keep their order on
the bench's processors (x86-64), so nothing here needs a lock.
"""

import mmap
import os
from contextlib import suppress
from typing import ClassVar, Final, Self

Buffer = bytearray | mmap.mmap
HEADER_BYTES: Final = 256
DEFAULT_SLOTS: Final = 4096
DEFAULT_SLOT_BYTES: Final = 1024

_MAGIC, _SLOTS, _SLOT_BYTES = 0, 1, 2
_F_SEAL_FUTURE_WRITE: Final = 0x10  # fcntl(2), Linux 5.1; maps that exist keep their rights


def slot_bytes(payload_bytes: int, head_bytes: int) -> int:
    """Size of slots for entries up to a length: the usual one, or as many words as are needed."""
    return max(DEFAULT_SLOT_BYTES, -(-(payload_bytes + head_bytes) // 8) * 8)


class Memory:
    """Bytes of this process, or of an anonymous file that other processes can map.

    Args:
        fd: descriptor of their file, owned from now on; -1 for none.
    """

    __slots__ = ("_fd", "buffer")

    def __init__(self, buffer: Buffer, fd: int = -1) -> None:
        self.buffer = buffer
        """The bytes, for another end in this process as well."""
        self._fd = fd

    @classmethod
    def attach(cls, fd: int) -> Self:
        """Open another process' memory by the descriptor that `fileno()` gave there; it is owned.

        Raises:
            ValueError: if its memory is too short, or was not prepared.
        """
        size = os.fstat(fd).st_size
        return cls(mmap.mmap(fd, size) if size else bytearray(), fd)

    def fileno(self) -> int:
        """Return the descriptor of shared memory; a `ValueError` if this is local or released."""
        if self._fd < 0:
            name = type(self).__name__
            raise ValueError(f"this has no shared memory: make it with {name}.shared()")
        return self._fd

    def release(self) -> None:
        """Let go of the memory; harmless when repeated."""
        if isinstance(self.buffer, mmap.mmap):
            with suppress(BufferError):  # another end in this process still looks at it
                self.buffer.close()
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class Slots(Memory):
    """Memory of slots of one size behind a header of words, which says how many there are.

    Raises:
        ValueError: if the buffer holds none of this kind, or is too short for what it announces.
    """

    __slots__ = ("_view", "_words", "capacity", "payload_bytes", "slot_bytes")

    magic: ClassVar[int]
    head_bytes: ClassVar[int]
    """Part of each slot that is no payload."""
    sealed: ClassVar[bool] = False
    """Whether nobody else shall be able to map it for writing."""

    def __init__(self, buffer: Buffer, fd: int = -1) -> None:
        super().__init__(buffer, fd)
        self.capacity, self.slot_bytes = self._layout(buffer)
        self.payload_bytes = self.slot_bytes - self.head_bytes
        """Most that an entry can hold."""
        self._view = memoryview(buffer)
        self._words = self._view.cast("B").cast("Q")

    @classmethod
    def local(cls, slots: int = DEFAULT_SLOTS, slot_bytes: int = DEFAULT_SLOT_BYTES) -> Self:
        """Make it in this process's memory, for a dry run; see `shared`."""
        return cls(cls._prepared(bytearray(cls._size(slots, slot_bytes)), slots, slot_bytes))

    @classmethod
    def shared(cls, slots: int = DEFAULT_SLOTS, slot_bytes: int = DEFAULT_SLOT_BYTES) -> Self:
        """Make it so that other processes can attach to it by `fileno()` (Linux).

        Args:
            slots: number of entries it can hold, at least 1.
            slot_bytes: size of one slot, its head included; a multiple of 8.

        Raises:
            ValueError: if a size is out of range.
        """
        size = cls._size(slots, slot_bytes)
        mapping, fd = memory_file(f"hil-{cls.__name__.lower()}", size, sealed=cls.sealed)
        return cls(cls._prepared(mapping, slots, slot_bytes), fd)

    def release(self) -> None:
        """Let go of the memory; harmless when repeated."""
        self._words.release()
        self._view.release()
        super().release()

    @classmethod
    def _size(cls, slots: int, slot_bytes: int) -> int:
        if slots < 1:
            raise ValueError(f"slots = {slots}: at least 1 is needed")
        if slot_bytes <= cls.head_bytes or slot_bytes % 8:
            right = f"a multiple of 8 above {cls.head_bytes} is needed"
            raise ValueError(f"slot_bytes = {slot_bytes} bytes: {right}")
        return HEADER_BYTES + slots * slot_bytes

    @classmethod
    def _prepared(cls, buffer: Buffer, slots: int, slot_bytes: int) -> Buffer:
        with memoryview(buffer) as view, view.cast("B")[:HEADER_BYTES].cast("Q") as words:
            words[_SLOTS], words[_SLOT_BYTES] = slots, slot_bytes
            words[_MAGIC] = cls.magic
        return buffer

    @classmethod
    def _layout(cls, buffer: Buffer) -> tuple[int, int]:
        size = len(buffer)
        if size >= HEADER_BYTES:
            with memoryview(buffer) as view, view.cast("B")[:HEADER_BYTES].cast("Q") as words:
                magic, slots, slot_bytes = words[_MAGIC], words[_SLOTS], words[_SLOT_BYTES]
            whole = slots >= 1 and slot_bytes > cls.head_bytes and slot_bytes % 8 == 0
            if magic == cls.magic and whole and size >= HEADER_BYTES + slots * slot_bytes:
                return slots, slot_bytes
        raise ValueError(f"memory of {size} bytes does not hold a ring of slots ({cls.__name__})")


def memory_file(name: str, size: int, *, sealed: bool = False) -> tuple[mmap.mmap, int]:
    """Make an anonymous file of zeros; its map for writing, and its descriptor.

    Args:
        name: what a debugger shows.
        sealed: whether it keeps its size, and can be mapped for writing by nobody else.
    """
    fd = os.memfd_create(name, os.MFD_CLOEXEC | (os.MFD_ALLOW_SEALING if sealed else 0))
    try:
        os.ftruncate(fd, size)
        mapping = mmap.mmap(fd, size)
        if sealed:
            _seal(fd)
    except BaseException:
        os.close(fd)
        raise
    mapping[:] = bytes(size)  # touch every page now, so that no cycle ever faults one in
    return mapping, fd


def _seal(fd: int) -> None:
    """Fix the size, and forbid maps for writing that do not exist yet."""
    import fcntl  # Linux only, unlike this module

    size_seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW
    try:
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, size_seals | _F_SEAL_FUTURE_WRITE)
    except OSError:  # an older kernel: there the descriptor handed out is read-only, no more
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, size_seals)


def read_only(fd: int) -> int:
    """A second descriptor of a memory file, without the right to write."""
    return os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_CLOEXEC)


def constant_file(content: bytes) -> int:
    """A memory file that nobody can change any more; its read-only descriptor."""
    import fcntl  # Linux only, unlike this module

    fd = os.memfd_create("hil-constant", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        with os.fdopen(os.dup(fd), "wb") as stream:
            stream.write(content)
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
        return read_only(fd)
    finally:
        os.close(fd)
