"""Opening the channel of an SLCAN adapter, each step checked.

Adapters differ in whether they acknowledge a command. What all of them do is answer `V`, in turn:
so each step ends with `V`, and a BEL before its answer means that the step was refused.
"""

from collections.abc import Callable
from dataclasses import dataclass

from drives.bank import LinkError
from drives.can.slcan_codec import (
    BITRATE_COMMANDS,
    BadLine,
    Line,
    SerialNumber,
    Signal,
    Version,
    parse_line,
)
from drives.can.slcan_lines import SlcanLines
from drives.can.slcan_port import BytePort

ANSWER_TIMEOUT_S = 1.0
"""Longest wait for the answer to a command [s]."""
_SILENCE_S = 0.1
_READS_BEFORE_SILENCE = 50


@dataclass(frozen=True, slots=True)
class AdapterId:
    """Identity that an adapter reports."""

    version: str
    """Its answer to `V`, without the letter."""
    serial_number: str
    """Its answer to `N`; empty if it gives none."""


def open_channel(
    port: BytePort,
    splitter: SlcanLines,
    bitrate: int,
    now_s: Callable[[], float],
    timeout_s: float = ANSWER_TIMEOUT_S,
) -> AdapterId:
    """Set the bitrate of the bus and open the channel (CAN232 manual, commands `Sn` and `O`).

    Time stamps are switched off, for they would make a frame whose end is missing look whole.
    Their command comes first too: no digit of it is hexadecimal, so it spoils whatever half line
    a dead controller has left in the adapter, which must not become a frame. A carriage return
    alone would not do: some firmware sends its last frame again upon it.

    Args:
        port: Port of the adapter.
        splitter: Cuts its lines; holds the beginning of the next one afterwards.

    Returns:
        What the adapter says it is. Frames that came meanwhile are thrown away.

    Raises:
        LinkError: If there is no such bitrate, or the adapter is silent, or refuses a step.
    """
    command = BITRATE_COMMANDS.get(bitrate)
    if command is None:
        rates = ", ".join(str(rate) for rate in BITRATE_COMMANDS)
        text = f"{port.url}: an SLCAN adapter has no bitrate of {bitrate} bit/s"
        raise LinkError(f"{text}; it has {rates}")
    _ask(port, splitter, b"Z0\rC\rZ0\rC\r", now_s, timeout_s)  # these may be refused
    for _ in range(_READS_BEFORE_SILENCE):  # a closed channel is soon silent
        if not port.read(_SILENCE_S):
            break
    version, _ = _ask(port, splitter, b"", now_s, timeout_s)
    _, answers = _ask(port, splitter, b"N\r", now_s, timeout_s)
    numbers = [value.text for value in answers if isinstance(value, SerialNumber)]
    for step, what in ((command, f"a bitrate of {bitrate} bit/s"), (b"O", "to open its channel")):
        _, answers = _ask(port, splitter, step + b"\r", now_s, timeout_s)
        if Signal.REFUSED in answers:
            text = f"{port.url}: {port.device} refused {what} (BEL after {step.decode()})"
            raise LinkError(f"{text}; replug it, and see that its firmware speaks SLCAN")
    return AdapterId(version, numbers[0] if numbers else "")


def _ask(
    port: BytePort,
    splitter: SlcanLines,
    commands: bytes,
    now_s: Callable[[], float],
    timeout_s: float,
) -> tuple[str, list[Line]]:
    """Send commands and wait until the `V` behind them is answered.

    Some firmware answers `V` in words of its own, so that any text is taken for the answer.

    Returns:
        The version, and what was answered before it.
    """
    port.write(commands + b"V\r")
    deadline_s = now_s() + timeout_s
    answers: list[Line] = []
    while (left_s := deadline_s - now_s()) > 0.0 and (data := port.read(left_s)):
        version = ""
        for line in splitter.feed(data):
            value = parse_line(line)
            if isinstance(value, Version | BadLine):
                version = value.text
            else:
                answers.append(value)
        if version:
            return version, answers
    refused = ", only BEL" if Signal.REFUSED in answers else ""
    text = f"{port.url}: {port.device} gave no answer to V within {timeout_s:g} s{refused}"
    raise LinkError(f"{text}; an SLCAN adapter answers with a line such as V1013")
