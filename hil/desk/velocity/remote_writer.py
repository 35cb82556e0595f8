"""The other end of the `remote` source: who steers a run from another process, by handles.

The writer sends as often as it is asked, zeros as well; the listener takes silence for zero, so a
panel that freezes stops the gripper within the listener's bound.
"""

import os
import secrets
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from hil.config.toml_text import toml_value
from hil.desk.messages import proof_of
from hil.desk.velocity.remote_wire import LINE_MAX, line_of, parse_word
from hil.desk.velocity.source import Twist
from hil.ipc.work_folder import WorkFolder

CONNECT_EVERY_S: Final = 0.2
"""Time between two searches for a listener that is not there yet [s]."""


class RemoteWriter:
    """The end of an arm station's `remote` source that writes; nothing in it waits."""

    def __init__(self, address: Path, token: str, now_s: Callable[[], float]) -> None:
        self._address, self._token, self._now_s = address, token, now_s
        self._socket: socket.socket | None = None
        self._received, self._unsent = b"", b""
        self._proved = False
        self._sequence = 0
        self._tried_s = -float("inf")

    @property
    def connected(self) -> bool:
        """Whether somebody listens, and has been given the proof that it asked for."""
        return self._socket is not None and self._proved

    def send(self, twist: Twist) -> bool:
        """Say the velocity wanted now.

        Returns:
            Whether it was taken whole.
        """
        return self._say(
            {
                "t_s": self._now_s(), "linear_m_s": twist.linear_m_s.tolist(),
                "angular_rad_s": twist.angular_rad_s.tolist(), "frame": twist.frame,
            }
        )  # fmt: skip

    def end(self) -> bool:
        """Say that the motion is over; whether it was taken whole."""
        return self._say({"end": True})

    def _say(self, what: dict[str, object]) -> bool:
        if not (self._connect() and self._prove()):
            return False
        self._sequence += 1
        if not self._flush():
            return False  # what is old by the time it is read would be worth nothing
        self._unsent = line_of({"seq": self._sequence} | what)
        return self._flush()

    def _connect(self) -> bool:
        """Whether there is a connection; it is tried for now and then."""
        if self._socket is not None:
            return True
        now_s = self._now_s()
        if now_s - self._tried_s < CONNECT_EVERY_S:
            return False
        self._tried_s = now_s
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        made.setblocking(False)
        try:
            made.connect(os.fspath(self._address))
        except OSError:
            made.close()
            return False
        self._socket = made
        return True

    def _prove(self) -> bool:
        """Answer the listener's nonce once it is there; whether that is done."""
        if self._proved or self._socket is None:
            return self._proved
        try:
            data = self._socket.recv(LINE_MAX + 1 - len(self._received))
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        self._received += data
        line, end, _ = self._received.partition(b"\n")
        if not end and data and len(line) <= LINE_MAX:
            return False
        nonce = parse_word(line, "nonce") if end else None
        if nonce is None:
            self.close()
            return False
        self._unsent = line_of({"proof": proof_of(self._token, nonce)})
        self._proved = True
        return True

    def _flush(self) -> bool:
        """Send what is left; whether nothing is."""
        while self._unsent and self._socket is not None:
            try:
                sent = self._socket.send(self._unsent, socket.MSG_NOSIGNAL)
            except BlockingIOError:
                return False
            except OSError:
                self.close()
                return False
            self._unsent = self._unsent[sent:]
        return self._socket is not None

    def close(self) -> None:
        """Leave; the listener takes that for zero."""
        if self._socket is not None:
            self._socket.close()
        self._socket, self._proved = None, False
        self._received, self._unsent = b"", b""


class ScreenPlace:
    """A folder of this user's alone with a token, for one run to listen in.

    Args:
        source: of the scenario; of it frame and limits are kept.
        key: of the source in a scenario.

    Raises:
        OSError: if it cannot be made.
    """

    def __init__(self, source: Mapping[str, Any], key: str = "source") -> None:
        self._work = WorkFolder("hil-handles-")
        self._key = key
        self.token = secrets.token_hex(32)
        self.socket, self.token_file = self._work.path / "arm.sock", self._work.path / "token"
        kept = {key: source[key] for key in ("limits", "frame") if key in source}
        self._source = kept | {
            "kind": "remote", "listen": str(self.socket), "token_file": str(self.token_file),
        }  # fmt: skip
        fd = os.open(self.token_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "w") as stream:
            stream.write(self.token + "\n")

    @property
    def override(self) -> str:
        """The source by which the run listens here, ``key=value``."""
        return f"{self._key}={toml_value(self._source)}"

    def writer(self, now_s: Callable[[], float]) -> RemoteWriter:
        """Writer of velocities for the run, by a monotonic clock [s]."""
        return RemoteWriter(self.socket, self.token, now_s)

    def remove(self) -> None:
        """Remove it; harmless when repeated."""
        self._work.remove()
