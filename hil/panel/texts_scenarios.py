"""Words of scenarios, forms, controls and handles."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "controls.not_proved": "the target was not proved within {within_s} s; press again",
}
"""Key → English."""
