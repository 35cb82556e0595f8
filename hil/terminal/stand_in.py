"""A run on its devices, or on emulated ones where one is absent and its scenario allows that."""

import shlex
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar

from hil.config.errors import DEVICE_ABSENT, RefusedError
from hil.terminal.console import err, styled

P = TypeVar("P")
R = TypeVar("R")


def run_or_stand_in(
    run: Callable[[P], R],
    plan: P,
    emulated: Callable[[P], AbstractContextManager[tuple[P, str]]],
    *,
    device: str,
    fallback: str,
) -> R:
    """Run a plan; nothing goes on in simulation by itself, or without saying so.

    Args:
        run: runs it; for an absent device it raises a `RefusedError` of code `DEVICE_ABSENT` with
            the values ``url`` and ``says``.
        emulated: gives the same plan on emulated devices for a while, and their URL.
        device: what is absent: "drives", "robot".
        fallback: of the scenario: "sim" allows it; else the error tells the command that does.
    """
    try:
        return run(plan)
    except RefusedError as error:
        if error.code != DEVICE_ABSENT:
            raise
        if fallback != "sim":
            command = shlex.join(["hil", *sys.argv[1:]])
            text = f"{error}\nto go on with emulated {device} instead:  {command} --fallback sim"
            raise RefusedError(text, error.code, **error.values) from error
        at, says = error.values["url"], error.values["says"]
    with emulated(plan) as (stand_in, url):
        err.print(
            styled("black on yellow", f" SIMULATED {device.upper()} "),
            f"{at} is not there ({says}); emulated {device} at {url} instead",
            soft_wrap=True,
        )
        return run(stand_in)
