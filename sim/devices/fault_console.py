"""The fault console: one line in, one answer out.

Not modelled: editing and history of lines; the terminal does that.
"""

from __future__ import annotations

from collections.abc import Callable

from sim.devices.drive.parameters import NODES
from sim.devices.fault_board import FaultBoard
from sim.devices.fault_text import FaultError, kinds_text, list_text
from sim.devices.faults import KINDS, Injection, parse_words

COMMANDS = ("help", "status", "list", "clear")


class FaultConsole:
    """Console that turns lines into faults.

    Args:
        board: Where faults are begun and ended.
        status: Called for the text of `status`.
    """

    def __init__(self, board: FaultBoard, status: Callable[[], str]) -> None:
        self._board = board
        self._status = status

    def execute(self, line: str, now_s: float) -> str:
        """Obey a line.

        Args:
            line: `help`, `status`, `list`, `clear [kind] [node=N]`, or a fault.

        Returns:
            The answer, never empty for a non-empty line; for a wrong line, what would
            have been right.
        """
        words = line.split()
        if not words:
            return ""
        try:
            if words[0] == "help":
                return help_text()
            if words[0] == "status":
                return self._status()
            if words[0] == "list":
                return self._list(now_s)
            if words[0] == "clear":
                return self._clear(words[1:], now_s)
            if words[0] not in KINDS:
                raise FaultError(
                    f"there is no command or fault {words[0]!r}: "
                    f"{', '.join(COMMANDS)}, or one of {', '.join(KINDS)}"
                )
            injection = parse_words(words)
            self._board.start(injection, now_s)
        except FaultError as error:
            return f"error: {error}"
        return f"ok: {describe(injection)}"

    def _list(self, now_s: float) -> str:
        active = [describe(injection) for injection in self._board.active]
        waiting = [(due_s, describe(injection)) for due_s, injection in self._board.waiting]
        return list_text(active, waiting, now_s)

    def _clear(self, words: list[str], now_s: float) -> str:
        kind: str | None = None
        node: int | None = None
        for word in words:
            if word.startswith("node="):
                text = word.removeprefix("node=")
                if text not in map(str, range(NODES + 1)):
                    raise FaultError(f"node = {text!r}: drives are 1 to {NODES}, 0 = all")
                node = int(text)
            elif word in KINDS:
                kind = word
            else:
                raise FaultError(f"{word!r}: write clear, then a kind, node=N, or neither")
        return f"ok: {self._board.clear(now_s, kind, node)} cleared"


def describe(injection: Injection) -> str:
    """Return a fault as a line that the console would accept."""
    words = [injection.kind]
    if not KINDS[injection.kind].whole_bus:
        words.append(f"node={injection.node}")
    if KINDS[injection.kind].value:
        words.append(f"value={injection.strength:g}")
    if injection.at_s:
        words.append(f"at_s={injection.at_s:g}")
    if injection.duration_s is not None:
        words.append(f"duration_s={injection.duration_s:g}")
    return " ".join(words)


def help_text() -> str:
    """Return the list of commands."""
    lines = [
        "KIND [node=N] [value=X] [at_s=S] [duration_s=S]   have a fault; node 1 to 6, 0 = all",
        "clear [KIND] [node=N]                             end faults",
        "list                                              faults that are on or will be",
        "status                                            what the drives do",
    ]
    return "\n".join(lines + kinds_text(KINDS))
