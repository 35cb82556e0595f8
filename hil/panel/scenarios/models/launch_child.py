"""A process of our own: looked at and never waited for.

What it says goes into files without a name, so it never waits for the panel either.
"""

import os
import signal
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import orjson

from hil.ipc.child import start_child

WORDS_MAX: Final = 4000
"""Characters of standard error that are kept, the last ones."""
TOLD_MAX: Final = 16 << 20
"""Bytes of standard output that are read."""
HIL: Final = ("-m", "hil.cli")
"""Arguments of the interpreter for the program itself."""


class Child:
    """A process of our own.

    Args:
        given: what it reads on standard input.
    """

    def __init__(
        self, arguments: Sequence[str], folder: Path | None = None, given: bytes = b""
    ) -> None:
        # Files without a name: whole after its end, and gone with the last who has them open.
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 closed with the child
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        with tempfile.TemporaryFile() as asked:
            asked.write(given)
            asked.seek(0)
            self._process = start_child(
                arguments, stdin=asked, stdout=self._output, stderr=self._errors, folder=folder
            )

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    @property
    def status(self) -> int | None:
        """Its exit status; None while it runs."""
        return self._process.poll()

    def read_output(self, start: int = 0) -> bytes:
        """What it has said on standard output, from a byte on."""
        return os.pread(self._output.fileno(), TOLD_MAX, start)

    def words(self) -> str:
        """The last that it has said on standard error."""
        fd = self._errors.fileno()
        begin = max(0, os.fstat(fd).st_size - WORDS_MAX)
        return os.pread(fd, WORDS_MAX, begin).decode("utf-8", "replace").strip()

    def answer(self) -> dict[str, Any] | None:
        """The JSON object that it has said; None if it said none."""
        with suppress(orjson.JSONDecodeError):
            said = orjson.loads(self.read_output())
            return said if isinstance(said, dict) else None
        return None

    def ask_to_stop(self) -> None:
        """Ask it as Ctrl-C does: a run stops along its path and parks."""
        if self.status is None:
            self._process.send_signal(signal.SIGINT)

    def end(self) -> None:
        """End it if it still runs: for what moves nothing."""
        if self.status is None:
            self._process.kill()
            self._process.wait()
        self.forget()

    def forget(self) -> None:
        """Let go of it; it goes on if it runs."""
        self._output.close()
        self._errors.close()

    def why(self) -> str:
        """Why it ended badly, in its own words; empty if it said none and was not killed."""
        said = self.answer() or {}
        reason = str(said.get("error") or said.get("reason") or "") or self.words()
        status = self.status
        if not reason and status is not None and status < 0:
            return f"signal {-status} ({signal.Signals(-status).name})"
        return reason
