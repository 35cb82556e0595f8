"""The main part that all benchmarks share: their options, and their figures as JSON."""

from __future__ import annotations

import argparse
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def main(run: Callable[..., Any], about: str | None) -> None:
    """Run a benchmark from the command line.

    Args:
        run: measures, shows, and returns the figures. Each of its parameters whose default is a
            number is an option of the same name.
        about: what ``--help`` says: the module's docstring.
    """
    parser = argparse.ArgumentParser(description=about)
    numbers = {
        name: one.default
        for name, one in inspect.signature(run).parameters.items()
        if isinstance(one.default, int | float)
    }
    for name, default in numbers.items():
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, type=type(default), default=default, help=f"{default:g}")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    arguments = vars(parser.parse_args())
    file = arguments.pop("json")
    figures = run(**arguments)
    if file is not None:
        file.write_text(json.dumps(figures, indent=2) + "\n")


def case_in_words(rate_hz: float, buses: int, pace: str = "") -> str:
    """Name of a case of drives on a wire.

    Args:
        rate_hz: of the cycle [Hz].
        buses: number of them.
        pace: bit rate of the buses, if frames take their time.
    """
    return f"{rate_hz:g} Hz, {buses} bus{'es' * (buses > 1)}" + f" of {pace}" * bool(pace)
