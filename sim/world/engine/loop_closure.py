"""Loops that an edit has opened, closed again before the first step.

Gauss-Newton on what the engine's ties miss, over all freedoms at once (least squares, so every
joint moves as little as all together allow); then speeds are projected on those that keep the ties.
Left as it is, such a gap is closed by the solver's forces, with a kick.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

OPENED: Final = 1e-7
"""Change of a tie's gap [m] or [rad] by which an edit has opened it."""
CLOSED: Final = 1e-6
"""Greatest gap of a closed tie [m] or [rad]."""
MET: Final = 1e-11
"""Gap at which the iteration ends."""
ITERATIONS: Final = 20
"""Most iterations; a joint moved by 10 mm takes two or three."""
RANK: Final = 1e-7
"""Ratio to the greatest singular value below which one is rounding."""
WAY_MAX_M: Final = 0.05
"""Greatest correction of a slide."""
TURN_MAX_RAD: Final = math.radians(5.0)
"""Greatest correction of a hinge, or about an axis of a ball."""


class ClosingRefusedError(ValueError):
    """Failure to close loops by a small correction; the text says which, and their gaps."""


@dataclass(frozen=True, slots=True)
class LoopClosure:
    """Closing of the loops: iterations, gaps and corrections."""

    iterations: int
    """Iterations of Gauss-Newton."""
    gap_m: float
    """Greatest gap before, of points [m] or followers and turns [rad]."""
    left_m: float
    """Greatest gap after."""
    travel_m: float
    """Greatest correction of a slide."""
    turn_rad: float
    """Greatest correction of a hinge or ball."""
    speed_change: float
    """Greatest change of a freedom's speed [m/s] or [rad/s]."""


def tie_gaps(library: Any, model: Any, data: Any) -> dict[str, Array]:
    """Gap of each active tie [m] or [rad], by its name, at the state's computed places."""
    rows = _rows(library, data)
    names = [
        library.mj_id2name(model, library.mjtObj.mjOBJ_EQUALITY, int(number)) or str(number)
        for number in data.efc_id[rows]
    ]
    found: dict[str, list[float]] = {}
    for name, gap in zip(names, data.efc_pos[rows].tolist(), strict=True):
        found.setdefault(name, []).append(gap)
    return {name: np.array(values) for name, values in found.items()}


def close_loops(
    library: Any, model: Any, data: Any, before: Mapping[str, Array]
) -> LoopClosure | None:
    """Close the ties that are further open than before; change nothing if there are none.

    Args:
        model: of the engine.
        data: its state, coordinates and speeds of which are corrected.
        before: gaps that ties had (`tie_gaps`), by name.

    Raises:
        ClosingRefusedError: if a correction of `WAY_MAX_M` and `TURN_MAX_RAD` does not.
    """
    library.mj_fwdPosition(model, data)
    if not _opened(tie_gaps(library, model, data), before):
        return None
    began = data.qpos.copy()
    gap_m = _greatest(library, model, data)
    used = 0
    while used < ITERATIONS and _greatest(library, model, data) > MET:
        rows = _rows(library, data)
        step = np.linalg.lstsq(_jacobian(library, model, data), -data.efc_pos[rows], rcond=RANK)[0]
        library.mj_integratePos(model, data.qpos, step, 1.0)
        library.mj_fwdPosition(model, data)
        used += 1
        if np.abs(step).max(initial=0.0) > math.pi:
            break  # it runs away
    moved = np.zeros(model.nv)
    library.mj_differentiatePos(model, moved, 1.0, began, data.qpos)
    slides = _slides(model)
    travel_m = float(np.abs(moved[slides]).max(initial=0.0))
    turn_rad = float(np.abs(moved[~slides]).max(initial=0.0))
    left = _greatest(library, model, data)
    if not (left <= CLOSED and travel_m <= WAY_MAX_M and turn_rad <= TURN_MAX_RAD):
        raise ClosingRefusedError(_why(library, model, data, gap_m, moved, slides))
    return LoopClosure(used, gap_m, left, travel_m, turn_rad, _keep_closed(library, model, data))


def _keep_closed(library: Any, model: Any, data: Any) -> float:
    """Project the speeds on the nearest ones that keep the ties; return the greatest change."""
    jacobian = _jacobian(library, model, data)
    change = np.linalg.lstsq(jacobian, -(jacobian @ data.qvel), rcond=RANK)[0]
    data.qvel[:] += change
    return float(np.abs(change).max(initial=0.0))


def _opened(gaps: Mapping[str, Array], before: Mapping[str, Array]) -> bool:
    for name, gap in gaps.items():
        was = before.get(name)
        change = gap - was if was is not None and was.shape == gap.shape else gap
        if np.abs(change).max(initial=0.0) > OPENED:
            return True
    return False


def _rows(library: Any, data: Any) -> NDArray[np.int_]:
    """Rows of the engine's constraints that are ties."""
    return np.flatnonzero(data.efc_type == int(library.mjtConstraint.mjCNSTR_EQUALITY))


def _greatest(library: Any, model: Any, data: Any) -> float:
    """Greatest distance of tied points, or turn, or miss of a follower."""
    sizes = [0.0]
    for gap in tie_gaps(library, model, data).values():
        sizes += [float(np.linalg.norm(gap[:3])), *np.abs(gap[3:]).tolist()]
    return max(sizes)


def _jacobian(library: Any, model: Any, data: Any) -> Array:
    """Jacobian of the ties, shape (rows, freedoms)."""
    rows, freedoms = _rows(library, data), int(model.nv)
    if not library.mj_isSparse(model):
        return data.efc_J[: int(data.nefc) * freedoms].reshape(-1, freedoms)[rows].copy()
    found = np.zeros((len(rows), freedoms))
    for index, row in enumerate(rows.tolist()):
        at = data.efc_J_rowadr[row]
        here = slice(at, at + data.efc_J_rownnz[row])
        found[index, data.efc_J_colind[here]] = data.efc_J[here]
    return found


def _slides(model: Any) -> NDArray[np.bool_]:
    """Freedoms that are lengths: of slides, and the first three of free joints."""
    found = np.zeros(model.nv, np.bool_)
    for kind, at in zip(model.jnt_type.tolist(), model.jnt_dofadr.tolist(), strict=True):
        found[at : at + {0: 3, 2: 1}.get(kind, 0)] = True
    return found


def _why(
    library: Any, model: Any, data: Any, gap_m: float, moved: Array, slides: NDArray[np.bool_]
) -> str:
    text = (
        f"the edit opens loops by {1e3 * gap_m:.4g} mm; a correction of {1e3 * WAY_MAX_M:g} mm and "
        f"{math.degrees(TURN_MAX_RAD):g} deg does not close them: "
    )
    gaps = tie_gaps(library, model, data)
    worst = max(gaps, key=lambda name: float(np.abs(gaps[name]).max()))
    left = float(np.abs(gaps[worst]).max())
    if not left <= CLOSED:
        return f"{text}tie {worst} stays open by {1e3 * left:.4g} mm"
    shares = np.abs(moved) / np.where(slides, WAY_MAX_M, TURN_MAX_RAD)
    freedom = int(np.argmax(shares))
    joint = library.mj_id2name(model, library.mjtObj.mjOBJ_JOINT, int(model.dof_jntid[freedom]))
    travel = (
        f"{1e3 * abs(moved[freedom]):.4g} mm" if slides[freedom]
        else f"{math.degrees(abs(moved[freedom])):.4g} deg"
    )  # fmt: skip
    return f"{text}joint {joint} would have to move by {travel}"
