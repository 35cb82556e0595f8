"""``hil world send``: an emulated operator in an exoskeleton who sends his joint angles."""

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.config.files import write_whole
from hil.terminal.console import err, verb

if TYPE_CHECKING:
    from collections.abc import Callable

    from hil.timing.clock import Clock
    from sim.devices.arm.exoskeleton import Exoskeleton, Silence


@verb
def send(
    to: Annotated[
        str, typer.Option("--to", metavar="ADDRESS:PORT", help="Who is to hear the frames.")
    ] = "127.0.0.1:5577",
    rate_hz: Annotated[float, typer.Option("--rate", help="Frames per second.")] = 60.0,
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="How long; left out, until Ctrl-C.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the measurement's noise.")] = 0,
    silence: Annotated[
        list[str] | None,
        typer.Option("--silence", metavar="FROM:FOR", help="Send nothing then [s]; repeatable."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", help="Write what the suit measures to a CSV file; send nothing."),
    ] = None,
) -> None:
    """Emulate an operator in an exoskeleton with gloves; send his 26 joint angles as frames.

    Scenario `copy_arms` copies them: --clock real --set 'motion.source="frames"'.
    """
    from sim.devices.arm.exoskeleton import Exoskeleton, recording_lines

    silences = tuple(_silence(one) for one in silence or ())
    try:
        suit = Exoskeleton(rate_hz, seed, silences)
    except ValueError as error:
        raise ConfigError("--rate", [str(error)]) from None
    if file is not None:
        lines = recording_lines(suit, 10.0 if seconds is None else seconds)
        try:
            write_whole(file, ("\n".join(lines) + "\n").encode("ascii"))
        except OSError as error:
            raise ConfigError(str(file), [f"cannot be written: {error.strerror}"]) from None
        return
    from hil.timing.realtime import RealClock
    from hil.timing.stop import StopSignals

    with StopSignals() as stop_request:
        count = send_frames(suit, to, RealClock(), seconds, lambda: stop_request.asked is not None)
    err.print(f"{count} frames sent to {to}")


def send_frames(
    suit: "Exoskeleton", to: str, clock: "Clock", seconds: float | None,
    stop: "Callable[[], bool]",
) -> int:  # fmt: skip
    """Send a suit's frames at its rate.

    Args:
        to: address and port.
        seconds: duration [s]; None until somebody stops it.

    Returns:
        Number of frames sent, without those that the network did not take.

    Raises:
        ConfigError: if there is no such address.
    """
    host, _, port = to.rpartition(":")
    try:
        (family, kind, _, _, place), *_ = socket.getaddrinfo(
            host.strip("[]"), int(port), type=socket.SOCK_DGRAM, flags=socket.AI_NUMERICHOST
        )
    except (OSError, ValueError):
        text = f"{to!r}: an address and a port are needed, such as 127.0.0.1:5577"
        raise ConfigError("--to", [text]) from None
    count, begun_s = 0, clock.now_s()
    with socket.socket(family, kind) as out:
        for tick in clock.ticks(suit.period_s):
            if stop() or (seconds is not None and tick.t_s >= seconds):
                return count
            if data := suit.frame(begun_s):
                try:
                    count += out.sendto(data, place) == len(data)
                except OSError:  # nobody listens yet
                    continue
    return count


def _silence(text: str) -> "Silence":
    from sim.devices.arm.exoskeleton import Silence

    begin, _, lasts = text.partition(":")
    try:
        found = Silence(float(begin), float(lasts))
    except ValueError:
        found = Silence(-1.0, -1.0)
    if not (0.0 <= found.from_s < 1e9 and 0.0 < found.lasts_s < 1e9):
        text = f"{text!r}: when and how long in seconds are needed, such as 3:0.5"
        raise ConfigError("--silence", [text])
    return found
