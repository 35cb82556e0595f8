"""Converged references of many cases: computed on all cores, kept in a folder if that is wanted.

A reference takes about a million tiny steps. A file of the folder is named by a digest of all that
the path depends on: the arm, its drives and payload, the commands, the step, and the code.
"""

import hashlib
import os
import sys
import zipfile
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import replace
from functools import cache
from pathlib import Path

import numba
import numpy as np

import sim.world.space_arm
from hil.config.files import replacing
from hil.ipc.child import worker_pool
from hil_arm_study import compare
from hil_arm_study.compare import (
    REFERENCE_STEPS_S,
    Deviation,
    GripperPath,
    ReferencePath,
    SimulatedCase,
    reference,
)
from sim.world.space_arm.reference_integrators import REFERENCE_TOLERANCE_M

ERRORS = ("position_mm", "orientation_deg", "percent")
Tell = Callable[[], object]
"""Called whenever one more piece of work is done."""


def cores() -> int:
    """Processors that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def references(
    cases: Sequence[SimulatedCase],
    *,
    step_s: float | None = None,
    folder: Path | None = None,
    workers: int | None = None,
    tell: Tell = lambda: None,
) -> list[ReferencePath]:
    """The reference of every case, in their order.

    Args:
        step_s: length of the steps [s]; None takes that of each model.
        folder: where references are kept and looked for; None for nowhere.
        workers: processes; None for one a core; 1 computes in this process.

    Raises:
        OSError: if the folder cannot be written.
    """
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    found: dict[int, ReferencePath] = {}
    for n, case in enumerate(cases):
        kept = None if folder is None else _read(_file(folder, case, step_s))
        if kept is not None:
            found[n] = kept
            tell()
    missing = [n for n in range(len(cases)) if n not in found]

    def keep(n: int, result: ReferencePath) -> None:
        found[n] = result
        if folder is not None and not result.failed:
            _write(_file(folder, cases[n], step_s), result)
        tell()

    workers = min(workers or cores(), len(missing))
    if workers > 1:
        _compute_apart([(n, cases[n]) for n in missing], step_s, workers, keep)
    else:
        for n in missing:
            keep(n, reference(cases[n], step_s))
    return [found[n] for n in range(len(cases))]


def _compute_apart(
    cases: Sequence[tuple[int, SimulatedCase]],
    step_s: float | None,
    workers: int,
    keep: Callable[[int, ReferencePath], None],
) -> None:
    """Compute in processes of their own, which know nothing of this one's threads."""
    with worker_pool(workers) as pool:
        waiting = {pool.submit(_reference, case, step_s): n for n, case in cases}
        while waiting:
            for done in wait(waiting, return_when=FIRST_COMPLETED).done:
                keep(waiting.pop(done), done.result())


def _reference(case: SimulatedCase, step_s: float | None) -> ReferencePath:
    """In a worker: an arm made anew has read-only arrays, for which kernels are compiled."""
    return reference(replace(case, arm=replace(case.arm)), step_s)


def digest(case: SimulatedCase, step_s: float | None) -> str:
    """A name for all that a reference depends on."""
    hasher = hashlib.sha256(_code_digest())
    steps = step_s or REFERENCE_STEPS_S.get(case.model, REFERENCE_TOLERANCE_M)
    hasher.update(f"{case.model.name} {steps!r}\n".encode())
    arm = case.arm if case.payload is None else case.arm.with_payload(case.payload)
    numbers = [*arm.arrays()[1:], *case.arm.drive_table(case.model.effects)]
    for array in (*numbers, case.motion.q_start_rad, case.motion.commands_rad_s):
        hasher.update(np.ascontiguousarray(array, dtype=np.float64).tobytes())
    return hasher.hexdigest()[:32]


@cache
def _code_digest() -> bytes:
    """Of every module that takes part, and of what compiles it."""
    hasher = hashlib.sha256(f"numpy {np.__version__} numba {numba.__version__}".encode())
    package = Path(sim.world.space_arm.__path__[0])
    for file in [*sorted(package.rglob("*.py")), Path(compare.__file__)]:
        hasher.update(file.read_bytes())
    return hasher.digest()


def _file(folder: Path, case: SimulatedCase, step_s: float | None) -> Path:
    return folder / f"{digest(case, step_s)}.npz"


def _write(file: Path, result: ReferencePath) -> None:
    """Whole or not at all, even if several do it at once."""
    with replacing(file) as stream:
        np.savez(
            stream,
            position_m=result.path.position_m,
            rotation=result.path.rotation,
            **{name: getattr(result.error, name) for name in ERRORS},
        )


def _read(file: Path) -> ReferencePath | None:
    """A reference that is kept; None if it is not there, or the file is damaged."""
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as kept:
            path = GripperPath(kept["position_m"], kept["rotation"])
            error = Deviation(*(kept[name] for name in ERRORS))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    return ReferencePath(path, error, failed=False)
