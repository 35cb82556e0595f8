"""Kinds of hosts that nobody emulates, or whose wire does not load."""

from dataclasses import replace
from typing import Literal

from own_host import KIND, SwaySettings


class StillSettings(SwaySettings):
    kind: Literal["still"] = "still"


class LameSettings(SwaySettings):
    kind: Literal["lame"] = "lame"


STILL = replace(KIND, name="still", settings=lambda: StillSettings)
LAME = replace(KIND, name="lame", settings=lambda: LameSettings)
