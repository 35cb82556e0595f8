"""Speed of the hexapod's kinematics: python benchmarks/bench_kinematics.py [--json FILE].

Single calls are timed one by one through the public functions. Batches are the best of several
passes over poses that were made before; the yardstick is C of the same algorithm (blocks of
columns, polynomial sine and cosine, fused multiply-add), compiled here with -O3 -march=native,
and both write into arrays that already exist in the process's memory.
"""

import ctypes
import math
import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.spatial.transform import Rotation

from benchmarks.frame import main
from hil_common.arrays.pose import Pose
from platform6dof.forward import forward, forward_batch
from platform6dof.geometry import HexapodGeometry
from platform6dof.inverse import leg_lengths, leg_setpoint, leg_setpoints_batch
from platform6dof.jacobian import leg_jacobian
from platform6dof.pose import PlatformSetpoint
from platform6dof.warm import warm

CALLS = 5000
BATCH = 16384
PASSES = 60
BIG_BATCH = 1_000_000

C_SOURCE = r"""
#include <math.h>
#define B 64
static inline void sincos_pi(double x, double *s, double *c) {
    const double k = (x * 0.31830988618379067 + 6755399441055744.0) - 6755399441055744.0;
    const double r = (x - k * 3.1415926535846666) - k * 5.1266883031679116e-12;
    const double sign = 1.0 - 2.0 * (k - 2.0 * floor(0.5 * k)), t = r * r;
    double a = 1.0 / 51090942171709440000.0, b = 1.0 / 2432902008176640000.0;
    a = a * t - 1.0 / 121645100408832000.0;  b = b * t - 1.0 / 6402373705728000.0;
    a = a * t + 1.0 / 355687428096000.0;     b = b * t + 1.0 / 20922789888000.0;
    a = a * t - 1.0 / 1307674368000.0;       b = b * t - 1.0 / 87178291200.0;
    a = a * t + 1.0 / 6227020800.0;          b = b * t + 1.0 / 479001600.0;
    a = a * t - 1.0 / 39916800.0;            b = b * t - 1.0 / 3628800.0;
    a = a * t + 1.0 / 362880.0;              b = b * t + 1.0 / 40320.0;
    a = a * t - 1.0 / 5040.0;                b = b * t - 1.0 / 720.0;
    a = a * t + 1.0 / 120.0;                 b = b * t + 1.0 / 24.0;
    a = a * t - 1.0 / 6.0;                   b = b * t - 0.5;
    *s = sign * (r + r * (t * a));           *c = sign * (1.0 + t * b);
}
void batch(const double *restrict joints, const double *restrict q, const double *restrict dq,
           long n, double *restrict lengths, double *restrict speeds) {
    static double x[6][B], v[6][B], m[9][B], s[3][B], c[3][B], l[6][B], d[6][B];
    for (long start = 0; start < n; start += B) {
        const long size = n - start < B ? n - start : B;
        for (long j = 0; j < size; j++)
            for (int k = 0; k < 6; k++) {
                x[k][j] = q[(start + j) * 6 + k];
                v[k][j] = dq[(start + j) * 6 + k];
            }
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < B; j++) sincos_pi(x[3 + k][j], &s[k][j], &c[k][j]);
        for (int j = 0; j < B; j++) {
            const double sa = s[0][j], sb = s[1][j], sg = s[2][j];
            const double ca = c[0][j], cb = c[1][j], cg = c[2][j];
            const double da = v[3][j], db = v[4][j], dg = v[5][j];
            m[0][j] = ca * cb; m[1][j] = ca * sb * sg - sa * cg; m[2][j] = ca * sb * cg + sa * sg;
            m[3][j] = sa * cb; m[4][j] = sa * sb * sg + ca * cg; m[5][j] = sa * sb * cg - ca * sg;
            m[6][j] = -sb; m[7][j] = cb * sg; m[8][j] = cb * cg;
            v[3][j] = ca * cb * dg - sa * db;
            v[4][j] = sa * cb * dg + ca * db;
            v[5][j] = da - sb * dg;
        }
        for (int i = 0; i < 6; i++) {
            const double ax = joints[i * 6], ay = joints[i * 6 + 1], az = joints[i * 6 + 2];
            const double bx = joints[i * 6 + 3], by = joints[i * 6 + 4], bz = joints[i * 6 + 5];
            for (int j = 0; j < B; j++) {
                const double cx = m[0][j] * bx + m[1][j] * by + m[2][j] * bz;
                const double cy = m[3][j] * bx + m[4][j] * by + m[5][j] * bz;
                const double cz = m[6][j] * bx + m[7][j] * by + m[8][j] * bz;
                const double dx = x[0][j] + cx - ax, dy = x[1][j] + cy - ay, dz = x[2][j] + cz - az;
                const double vx = v[0][j] + v[4][j] * cz - v[5][j] * cy;
                const double vy = v[1][j] + v[5][j] * cx - v[3][j] * cz;
                const double vz = v[2][j] + v[3][j] * cy - v[4][j] * cx;
                const double length = sqrt(dx * dx + dy * dy + dz * dz);
                l[i][j] = length;
                d[i][j] = (dx * vx + dy * vy + dz * vz) / length;
            }
        }
        for (long j = 0; j < size; j++)
            for (int k = 0; k < 6; k++) {
                lengths[(start + j) * 6 + k] = l[k][j];
                speeds[(start + j) * 6 + k] = d[k][j];
            }
    }
}
"""

Batch = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def rig() -> HexapodGeometry:
    return HexapodGeometry.from_circles(1.0, math.radians(14.0), 0.70, 0.0, 0.64, 0.74)


def motion(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates with derivatives of a sine in each, as a 500 Hz loop would see them."""
    t = np.arange(count)[:, None] * 2e-3
    amplitude = np.array([0.05, 0.06, 0.04, 0.08, 0.07, 0.09])
    omega = 2.0 * math.pi * np.array([0.5, 0.7, 0.9, 0.6, 0.8, 0.4])
    q = np.array([0, 0, 0.935, 0, 0, 0]) + amplitude * np.sin(omega * t)
    return q, amplitude * omega * np.cos(omega * t), -amplitude * omega**2 * np.sin(omega * t)


def each_call(function: Callable[[int], object]) -> dict[str, float]:
    """Median and 99th percentile of single calls [us], after a first round."""
    durations = np.empty(CALLS)
    for _ in range(2):
        for n in range(CALLS):
            start = time.perf_counter_ns()
            function(n)
            durations[n] = time.perf_counter_ns() - start
    return {
        "median_us": float(np.median(durations)) / 1e3,
        "p99_us": float(np.percentile(durations, 99)) / 1e3,
    }


def best_rate(function: Batch, q: np.ndarray, dq: np.ndarray, passes: int) -> float:
    """Most poses per second of several passes, in millions."""
    best = math.inf
    for _ in range(passes):
        start = time.perf_counter_ns()
        function(q, dq)
        best = min(best, time.perf_counter_ns() - start)
    return len(q) / best * 1e3


def numpy_batch(geometry: HexapodGeometry) -> Batch:
    """The same with whole-array numpy, as one would write it at first."""
    a, b = np.array(geometry.base_joints_m), np.array(geometry.platform_joints_m)

    def function(q: np.ndarray, dq: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        (sa, sb, sg), (ca, cb, cg) = np.sin(q[:, 3:]).T, np.cos(q[:, 3:]).T
        m = np.empty((len(q), 3, 3))
        m[:, 0] = np.stack([ca * cb, ca * sb * sg - sa * cg, ca * sb * cg + sa * sg], 1)
        m[:, 1] = np.stack([sa * cb, sa * sb * sg + ca * cg, sa * sb * cg - ca * sg], 1)
        m[:, 2] = np.stack([-sb, cb * sg, cb * cg], 1)
        da, db, dg = dq[:, 3:].T
        omega = np.stack([ca * cb * dg - sa * db, sa * cb * dg + ca * db, da - sb * dg], 1)
        arm = b @ m.transpose(0, 2, 1)  # (N, 6, 3)
        leg = q[:, None, :3] + arm - a
        length = np.sqrt(np.einsum("nij,nij->ni", leg, leg))
        velocity = dq[:, None, :3] + np.cross(omega[:, None], arm)
        return length, np.einsum("nij,nij->ni", leg, velocity) / length

    return function


def c_batch(geometry: HexapodGeometry, folder: Path) -> Batch | None:
    """The yardstick, or None without a compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    source, library = folder / "batch.c", folder / "batch.so"
    source.write_text(C_SOURCE)
    flags = ["-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, "-o", library, source, "-lm"], check=True)
    call = ctypes.CDLL(str(library)).batch
    pointer = np.ctypeslib.ndpointer(np.float64, flags="C_CONTIGUOUS")
    call.argtypes = [pointer, pointer, pointer, ctypes.c_long, pointer, pointer]
    call.restype = None
    joints = np.hstack([geometry.base_joints_m, geometry.platform_joints_m])

    def function(q: np.ndarray, dq: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        lengths, speeds = np.empty_like(q), np.empty_like(q)
        call(joints, q, dq, len(q), lengths, speeds)
        return lengths, speeds

    return function


def single_calls(geometry: HexapodGeometry) -> dict[str, Any]:
    """The functions of a tick: setpoint from coordinates, inverse, forward warm-started."""
    q, dq, ddq = motion(CALLS + 1)
    setpoints = [PlatformSetpoint.from_coordinates(*one) for one in zip(q, dq, ddq, strict=True)]
    lengths = [np.array(leg_lengths(geometry, one.X_BP)) for one in setpoints]
    steps = np.zeros(CALLS, dtype=int)
    last = [setpoints[0].X_BP]

    def solve(n: int) -> None:
        found = forward(geometry, lengths[n + 1], last[0] if n else setpoints[0].X_BP)
        last[0] = found.X_BP
        steps[n] = found.iterations if found.converged else 10**6

    rows = {
        "from_coordinates": each_call(
            lambda n: PlatformSetpoint.from_coordinates(q[n], dq[n], ddq[n])
        ),
        "inverse": each_call(lambda n: leg_setpoint(geometry, setpoints[n])),
        "forward": each_call(solve),
    }
    error = np.abs(last[0].coordinates() - Pose.coordinates(setpoints[CALLS].X_BP)).max()
    rows["forward"] |= {"iterations_max": int(steps.max()), "error_max": float(error)}
    return rows


def batches(geometry: HexapodGeometry) -> dict[str, Any]:
    """Poses per second of the batch call and of its peers, all checked against each other."""
    q, dq, _ = motion(BATCH)
    big_q, big_dq, _ = motion(BIG_BATCH)

    def own(q: np.ndarray, dq: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return leg_setpoints_batch(geometry, q, dq)

    with tempfile.TemporaryDirectory() as folder:
        yardstick = c_batch(geometry, Path(folder))
        peers: dict[str, Batch] = {"numpy": numpy_batch(geometry)}
        if yardstick is not None:
            peers["c"] = yardstick
        expected = own(q, dq)
        for name, peer in peers.items():
            gap = max(
                float(np.abs(x - y).max()) for x, y in zip(expected, peer(q, dq), strict=True)
            )
            if gap > 1e-13:
                raise RuntimeError(
                    f"{name} differs by {gap:.3g} from the batch call, 1e-13 at most"
                )
        rates = {"batch": 0.0} | dict.fromkeys(peers, 0.0)
        for _ in range(3):  # in turns, so that all meet the same disturbance of the machine
            for name, function in {"batch": own, **peers}.items():
                rates[name] = max(rates[name], best_rate(function, q, dq, PASSES // 3))
        big = {name: best_rate(f, big_q, big_dq, 3) for name, f in {"batch": own, **peers}.items()}
    ratio = rates["batch"] / rates["c"] if "c" in rates else None
    return {
        "poses": BATCH,
        "mposes_s": rates,
        "ratio_to_c": ratio,
        "big_poses": BIG_BATCH,
        "big_mposes_s": big,
        "big_ratio_to_c": big["batch"] / big["c"] if "c" in big else None,
    }


def newton(geometry: HexapodGeometry, lengths: np.ndarray, guess: Pose) -> list[Pose]:
    """The same poses by Newton's method in numpy, as one writes it down."""
    found, pose = [], guess
    for wanted in lengths:
        while np.abs(gap := wanted - leg_lengths(geometry, pose)).max() > 1e-12:
            step = np.linalg.solve(leg_jacobian(geometry, pose), gap)
            turn = Rotation.from_rotvec(step[3:]).as_matrix() @ pose.rotation
            pose = Pose(pose.position_m + step[:3], turn)
        found.append(pose)
    return found


def forward_batches(geometry: HexapodGeometry) -> dict[str, Any]:
    """Poses per second from leg lengths: the batch call, a loop of single calls, numpy."""
    q, dq, _ = motion(BATCH)
    lengths, _ = leg_setpoints_batch(geometry, q, dq)
    start = Pose.from_coordinates(q[0])

    def singles(rows: np.ndarray) -> list[Pose]:
        poses, guess = [], start
        for row in rows:
            guess = forward(geometry, row, guess).X_BP
            poses.append(guess)
        return poses

    def rate(function: Callable[[np.ndarray], object], rows: np.ndarray) -> float:
        begin = time.perf_counter()
        function(rows)
        return len(rows) / (time.perf_counter() - begin) / 1e6

    ways = {
        "batch": (lambda rows: forward_batch(geometry, rows, start), lengths),
        "loop of single calls": (singles, lengths[:2000]),
        "numpy": (lambda rows: newton(geometry, rows, start), lengths[:200]),
    }
    found = forward_batch(geometry, lengths, start)
    error = float(np.abs(found.position_m - q[:, :3]).max())
    if not found.converged.all() or error > 1e-9:
        raise RuntimeError(f"the batch is off by {error:.3g} m, 1e-9 m at most")
    rates = dict.fromkeys(ways, 0.0)
    for _ in range(5):  # in turns, so that all meet the same disturbance of the machine
        for name, (function, rows) in ways.items():
            rates[name] = max(rates[name], rate(function, rows))
    return {"poses": BATCH, "mposes_s": rates, "error_max_m": error}


def machine() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = platform.processor()
    return f"{name}, {platform.system()}, Python {platform.python_version()}"


def table_of(result: dict[str, Any]) -> Table:
    """The figures beside what is asked of them."""
    table = Table(title=f"Kinematics on {result['machine']}")
    for heading in ("what", "measured", "asked"):
        table.add_column(heading)
    for name, asked in (("from_coordinates", 4.0), ("inverse", 5.0), ("forward", 15.0)):
        one = result[name]
        text = f"median {one['median_us']:.2f} us, p99 {one['p99_us']:.2f} us"
        table.add_row(f"{name}, one call", text, f"<= {asked:g} us")
    table.add_row("forward, steps", str(result["forward"]["iterations_max"]), "<= 4")
    for name, rate in result["forward_batch"]["mposes_s"].items():
        asked = ">= 0.5 Mposes/s" if name == "batch" else ""
        table.add_row(f"forward, {name}", f"{rate:.3f} Mposes/s", asked)
    batch = result["inverse_batch"]
    for size, key in ((batch["poses"], "mposes_s"), (batch["big_poses"], "big_mposes_s")):
        for name, rate in batch[key].items():
            asked = ">= 12 Mposes/s" if (name, key) == ("batch", "mposes_s") else ""
            table.add_row(f"{name}, {size} poses", f"{rate:.1f} Mposes/s", asked)
    if batch["ratio_to_c"] is not None:
        table.add_row("batch / C", f"{batch['ratio_to_c']:.2f}", ">= 0.5")
        table.add_row(f"batch / C, {batch['big_poses']}", f"{batch['big_ratio_to_c']:.2f}", "")
    else:
        table.add_row("batch / C", "no C compiler found", ">= 0.5")
    return table


def run() -> dict[str, Any]:
    """Measure everything, print a table, return the figures."""
    warm()
    geometry = rig()
    result = {"machine": machine(), **single_calls(geometry)}
    result |= {"inverse_batch": batches(geometry), "forward_batch": forward_batches(geometry)}
    Console().print(table_of(result))
    return result


if __name__ == "__main__":
    main(run, __doc__)
