"""What figures were measured on, and when."""

import datetime
import os
import platform
from pathlib import Path

from hil.config.build import describe_build


def machine() -> dict[str, str | int | None]:
    """What the figures were measured on."""
    model = "unknown"
    info = Path("/proc/cpuinfo")
    if info.is_file():
        lines = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].partition(":")[2].strip() if lines else model
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "build": describe_build(),
    }


def today() -> str:
    """Date of a measurement, UTC."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()
