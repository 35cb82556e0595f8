"""The solver of quadratic programs, in its variant for every processor.

PIQP loads a variant of itself by what the processor can do, and they round otherwise. The one that
runs on all of them takes the same time for programs as small as these, and gives the same rows.
"""

import sys
from types import ModuleType
from typing import Any

_CHOICE = "piqp.instruction_set"
"""Module that PIQP asks for the features of the processor while it is loaded."""


def _oldest_processor() -> ModuleType:
    """Make the answer of a processor without vector units."""
    answer: Any = ModuleType(_CHOICE)
    answer.avx2 = answer.avx512f = False
    return answer


sys.modules.setdefault(_CHOICE, _oldest_processor())
import piqp as piqp  # noqa: E402
