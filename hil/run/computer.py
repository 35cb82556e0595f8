"""Processor and C library of this computer, for the header of a recording."""

import math
import os
import platform
import struct
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

CPU_FILE: Final = Path("/proc/cpuinfo")
"""File in which Linux describes the processors."""
_ARGUMENTS: Final = tuple((k * 0x9E3779B97F4A7C15 % 2**53) / 2**53 for k in range(1, 1001))
"""Numbers between 0 and 1 with all their digits, on which the functions are tried."""
_FUNCTIONS: Final = (
    math.sin, math.cos, math.tan, math.asin, math.acos, math.atan, math.tanh,
    math.exp, math.expm1, math.log, math.log1p,
)  # fmt: skip


def processor(file: Path = CPU_FILE) -> str:
    """Return the model of the processor, or its kind where the system does not name one."""
    with suppress(OSError):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.machine()


def libm_version() -> str:
    """Return the C library's name and version, and a digest of values of its functions.

    Two computers with the same digest compute sine, logarithm and power alike to the last bit,
    unless one of the arguments on which they differ is not among those that are tried.
    """
    try:
        name = os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, OSError, ValueError):
        name = ""
    return f"{name or 'not glibc'}, values sha256 {_digest()}"


def _digest() -> str:
    values = [function(x) for function in _FUNCTIONS for x in _ARGUMENTS]
    values += [x**2.5 for x in _ARGUMENTS]
    return sha256(struct.pack(f"<{len(values)}d", *values)).hexdigest()[:16]
