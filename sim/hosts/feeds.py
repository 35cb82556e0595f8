"""Feeds by their names: ``jsbsim``, ``flight``, ``loop``, ``drive``, or a recorded ride's file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from sim.hosts.flight import scripted_drive, scripted_flight
from sim.hosts.jsbsim_flight import installed, jsbsim_flight
from sim.hosts.telemetry import Feed

NAMES: Final = ("auto", "jsbsim", "flight", "loop", "drive")
"""Names of feeds; ``auto`` is JSBSim where it is installed, else our own flight."""


def feed_of(name: str, ride_of: Callable[[Path], Feed] | None = None) -> Feed:
    """Make the feed of a name.

    Args:
        name: one of `NAMES`, or a file.
        ride_of: reads that; left out, there are no files.

    Raises:
        ValueError: if there is no such feed, or its file is wrong.
    """
    if name == "auto":
        return jsbsim_flight() if installed() else scripted_flight()
    if name == "jsbsim":
        if not installed():
            raise ValueError("feed 'jsbsim' needs the extra [fly]: pip install 'hil-bench[fly]'")
        return jsbsim_flight()
    if name in ("flight", "loop"):
        return scripted_flight(loop=name == "loop")
    if name == "drive":
        return scripted_drive()
    path = Path(name)
    if ride_of is None or not path.is_file():
        raise ValueError(f"feed {name!r}: no such file, and none of {', '.join(NAMES)}")
    try:
        return ride_of(path)
    except (OSError, ValueError) as error:
        raise ValueError(f"feed {name!r}: {error}") from None
