"""Arithmetic that rounds alike on every x86-64 processor, set in the environment of a process.

glibc, OpenBLAS and numpy have variants of their functions and choose by the processor. Where it
fuses a product with a sum (FMA), a few values of a sine, a square or a product of matrices differ
in the last bit, and with them the recording of a run. The variants for the oldest processors run on
all others as well; each library takes the choice from the environment when it is loaded.

Compiled kernels need none: numba fuses nothing unless it is asked to. Another version of a library
may still round otherwise; the header of a recording names them all.
"""

from collections.abc import Mapping
from typing import Final

TUNABLES: Final = "GLIBC_TUNABLES"
"""Variable from which glibc takes its settings before anything of a program runs."""
_MASK: Final = "glibc.cpu.hwcaps="
"""Beginning of the setting of features that glibc is not to use, those with a minus."""
_FUSED: Final = ("FMA", "FMA4")
"""Features by which libm chooses; strings and memory have variants by others, which remain."""
_CORE: Final = {"OPENBLAS_CORETYPE": "Nehalem"}
"""Variant of OpenBLAS without fused products."""
NUMPY_FEATURES: Final = "NPY_DISABLE_CPU_FEATURES"
"""Variable with the features of a processor that numpy is not to use."""
_WIDE: Final = (
    "X86_V4", "AVX512F", "AVX512CD", "AVX512_KNL", "AVX512_KNM", "AVX512_SKX", "AVX512_CLX",
    "AVX512_CNL", "AVX512_ICL", "AVX512_SPR",
)  # fmt: skip
"""Features by which numpy's functions of float64 round otherwise; names before and after 2.4.

By AVX2 (``X86_V3``) only its tanh and its complex numbers do, which no row has; it sorts ten times
as fast with it.
"""


def same_everywhere(environment: Mapping[str, str], machine: str) -> dict[str, str]:
    """Environment in which the libraries use the variants that every processor has.

    Other settings of glibc stay as they are, and features that numpy is not to use anyway.

    Args:
        machine: kind of processor, as `platform.machine` names it; of others nothing is changed.
    """
    if machine != "x86_64":
        return dict(environment)
    settings = [one for one in environment.get(TUNABLES, "").split(":") if one]
    masks = [one for one in settings if one.startswith(_MASK)]
    others = [one for one in settings if one not in masks]
    features = ",".join(one.removeprefix(_MASK) for one in masks).split(",")
    kept = [one for one in features if one and one.lstrip("-") not in _FUSED]
    mask = _MASK + ",".join([*kept, *(f"-{name}" for name in _FUSED)])
    unused = dict.fromkeys([*environment.get(NUMPY_FEATURES, "").split(), *_WIDE])
    made = {TUNABLES: ":".join([*others, mask]), NUMPY_FEATURES: " ".join(unused)}
    return {**environment, **_CORE, **made}
