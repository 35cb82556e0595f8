"""What figures were measured on, and when."""

import datetime
import os
import platform

from hil.config.build import describe_build
from hil.run.computer import processor


def machine() -> dict[str, str | int | None]:
    """What the figures were measured on."""
    return {
        "cpu": processor(),
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "build": describe_build(),
    }


def today() -> str:
    """Date of a measurement, UTC."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()
