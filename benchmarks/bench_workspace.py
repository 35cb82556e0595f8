"""Time of a map of 100³ poses and of a proof of 0.85 of the paper's box, all limits, on one core.

They are to take at most 5 s and 20 s. All limits are those of paper_cabin, paper with bodies:
forces at rest are among them, and the map shows the greatest. `unloaded` is paper.

python -m benchmarks.bench_workspace [--rounds 7] [--json FILE]. Beside the map, the same limits but
the legs' clearance by whole-array numpy; beside the proof, as many random poses as the map has,
judged by the envelope, which proves nothing.
"""

import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.frame import main
from hil.config.file_search import configs_dir
from hil.machines.rig.machine import envelope_of, geometry_of, load_rig
from hil.stations.platform.proof.workspace_quantities import holding_limits
from platform6dof.envelope import Envelope
from platform6dof.warm import warm_workspace
from platform6dof.workspace.grid import PLACES, PoseGrid
from platform6dof.workspace.holding_limits import HoldingLimits
from platform6dof.workspace.map_figures import find_range
from platform6dof.workspace.pose_map import map_poses
from platform6dof.workspace.pose_proof import prove_box, scaled_box
from platform6dof.workspace.quantities import FORCE

POINTS, SCALE = 100, 0.85
RATES = np.array([0.1, 0.1, 0.1, 0.15, 0.15, 0.15])


def numpy_limits(envelope: Envelope, q: np.ndarray) -> np.ndarray:
    """Least share left of lengths, joint angles and hold, as one writes it at first."""
    g = envelope.geometry
    a, b = np.array(g.base_joints_m), np.array(g.platform_joints_m)
    (sa, sb, sg), (ca, cb, cg) = np.sin(q[:, 3:]).T, np.cos(q[:, 3:]).T
    m = np.empty((len(q), 3, 3))
    m[:, 0] = np.stack([ca * cb, ca * sb * sg - sa * cg, ca * sb * cg + sa * sg], 1)
    m[:, 1] = np.stack([sa * cb, sa * sb * sg + ca * cg, sa * sb * cg - ca * sg], 1)
    m[:, 2] = np.stack([-sb, cb * sg, cb * cg], 1)
    arm = b @ m.transpose(0, 2, 1)
    leg = q[:, None, :3] + arm - a
    length = np.linalg.norm(leg, axis=2)
    u = leg / length[:, :, None]
    low, high = envelope.bounds
    shares = [length - low[:6], high[:6] - length]
    for axes, limit in (
        (g.neutral_axes[0], high[18:24]),
        (g.neutral_axes[1] @ m.transpose(0, 2, 1), high[24:30]),
    ):
        shares.append(limit - np.arccos(np.clip((u * axes).sum(axis=2), -1.0, 1.0)))
    rows = np.concatenate([u, np.cross(arm, u) / g.length_scale_m], axis=2)
    shares.append(np.linalg.svd(rows, compute_uv=False)[:, 5:] - low[45])
    return np.min(np.hstack(shares), axis=1)


def seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def run(rounds: int = 7) -> dict[str, float]:
    """Measure, print a table, return the medians [s]."""
    warm_workspace()
    rig = load_rig(configs_dir() / "rigs" / "paper.toml")
    envelope, neutral = envelope_of(rig, geometry_of(rig)), rig.neutral.coordinates()
    cabin = load_rig(configs_dir() / "rigs" / "paper_cabin.toml")
    holding = holding_limits(cabin, envelope.geometry)
    ends = find_range(envelope, PLACES, neutral)
    grid = PoseGrid(PLACES, neutral, ends.lower, ends.upper, POINTS)
    box = scaled_box(rig.pose_box.box(), SCALE)
    drawn = np.random.default_rng(0).uniform(box.lower, box.upper, (POINTS**3, 6))

    def by_numpy() -> None:
        for _, poses in grid.blocks():
            numpy_limits(envelope, poses)

    def proof(forces: HoldingLimits | None) -> None:
        found = prove_box(envelope, box, holding=forces)
        if not found.holds:
            raise RuntimeError(f"the box is {found.search.verdict}; the figure would mean nothing")

    work = {
        "map_s": lambda: map_poses(envelope, grid, neutral, FORCE, RATES, holding=holding),
        "map_unloaded_s": lambda: map_poses(envelope, grid, neutral, rates=RATES),
        "map_numpy_s": by_numpy,
        "proof_s": lambda: proof(holding),
        "proof_unloaded_s": lambda: proof(None),
        "sample_s": lambda: envelope.inside(drawn),
    }
    times: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, function in work.items():
            times[name].append(seconds(function))
    medians = {name: float(np.median(all_of)) for name, all_of in times.items()}
    table = Table("work", "median s", title=f"workspace of paper, {rounds} rounds")
    for name, value in medians.items():
        table.add_row(name.removesuffix("_s"), f"{value:.2f}")
    Console().print(table)
    return medians


if __name__ == "__main__":
    main(run, __doc__)
