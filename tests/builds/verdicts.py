"""Prints a digest of the gate's verdicts for each sequence of the fuzz (`test_gate_fuzz.py`).

The sequence answers the gate, so two gates that differ once go apart.
"""

import hashlib
from collections import Counter

from pure_build import COMPILED
from test_gate_fuzz import SEED, SEQUENCE_CYCLES, SEQUENCES, Fuzz


def digest_of(seed):
    """SHA-256 of all verdicts of a sequence, in words that have every bit of their numbers."""
    fuzz, digest = Fuzz(seed, Counter()), hashlib.sha256()
    for _ in range(SEQUENCE_CYCLES):
        verdict = fuzz.gate.step(fuzz.inputs())
        digest.update(f"{verdict!r}\n".encode())
        fuzz.obey(verdict)
    return digest.hexdigest()


if __name__ == "__main__":
    print(f"compiled: {COMPILED}")
    for seed in range(SEED, SEED + SEQUENCES):
        print(f"seed {seed}: {digest_of(seed)}")
