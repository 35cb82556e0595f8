"""What to do about the finding of a check of the gate."""

from typing import Final

from hil.stations.arm.advice import ADVICE as ARM
from hil.stations.platform.advice import ADVICE as PLATFORM

ADVICE: Final = {"platform": PLATFORM, "arm": ARM}
"""Station → check → what to do."""

UNKNOWN: Final = (
    "Read the cause; have the machine looked at before going on if it is not understood."
)
"""What to do about a check that is not known here."""


def advice_of(station: str, check: object) -> str:
    """What to do; general advice for a check that is not known here."""
    return ADVICE[station].get(check.lower(), UNKNOWN) if isinstance(check, str) else UNKNOWN
