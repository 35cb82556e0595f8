"""A second model of the robot's controller, from the documents alone, and an optimiser over it.

What the controller does with waypoints is in docs/emulated_arm.md ("Timing", "Path") and
docs/contour_link.md. Nothing here is taken from the emulated controller, the driver or the report.
Lengths in metres, times in seconds; waypoint k is due at k periods, the controller's delay of 0.8 s
and the servos' 2/120 s being taken out.
"""

from __future__ import annotations

import numpy as np
from scipy.interpolate import Akima1DInterpolator
from scipy.optimize import minimize

PERIOD_S = 0.35
LONGEST_S = 0.1
SHORTEST_S = 0.014
TOLERANCE_M = 0.25e-3
POINT_S = 0.028
SERVO_S = 0.000875
SERVO_RAD_S = 120.0
STEP_MAX_M = 0.035


def half_blends(nodes: np.ndarray) -> np.ndarray:
    """Half the duration of the blend at each waypoint: the longest that keeps the tolerance."""
    found = []
    for k in range(len(nodes)):
        v1 = (nodes[k] - nodes[k - 1]) / PERIOD_S if k else np.zeros(3)
        v2 = (nodes[k + 1] - nodes[k]) / PERIOD_S if k + 1 < len(nodes) else np.zeros(3)
        fastest = max(np.linalg.norm(v1), np.linalg.norm(v2))
        off = 0.0
        if v1 @ v2 < 0.0:
            off = np.linalg.norm(v2 - v1) / 4.0
        elif fastest > 0.0:
            off = np.linalg.norm(np.cross(v1, v2)) / (4.0 * fastest)
        found.append(max(SHORTEST_S, LONGEST_S if off * LONGEST_S <= TOLERANCE_M
                         else TOLERANCE_M / off))  # fmt: skip
    return np.array(found)


def set_point(nodes: np.ndarray, half: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Straight at constant speed; about a waypoint the velocity changes evenly: integrated."""
    before = np.vstack([np.zeros(3), np.diff(nodes, axis=0)]) / PERIOD_S
    after = np.vstack([np.diff(nodes, axis=0), np.zeros(3)]) / PERIOD_S
    path = np.tile(nodes[0], (len(t), 1))
    for k in range(len(nodes)):
        u, h = t - k * PERIOD_S, half[k]
        gained = np.where(u <= -h, 0.0, np.where(u >= h, u, (u + h) ** 2 / (4.0 * h)))
        path += gained[:, None] * (after[k] - before[k])
    return path


def robot_path(nodes: np.ndarray, t: np.ndarray, half: np.ndarray | None = None) -> np.ndarray:
    """Where the gripper is: a set-point every 28 ms, in equal parts, through damped servos.

    Where in the 28 ms a waypoint falls is not said: straight lines between set-points at any of
    them are on the average a weighting by a triangle of twice that length.
    """
    half = half_blends(nodes) if half is None else half
    age = SERVO_S * np.arange(round(14.4 / SERVO_RAD_S / SERVO_S))
    servo = age * np.exp(-SERVO_RAD_S * age)
    count = round(POINT_S / SERVO_S)
    triangle = 1.0 - np.abs(np.arange(-count, count + 1)) / count
    answer = np.convolve(servo / servo.sum(), triangle / triangle.sum())
    lag = float(answer @ np.arange(len(answer))) * SERVO_S
    fine = np.arange(t[0] - len(answer) * SERVO_S, t[-1] + 0.1, SERVO_S)
    wanted = set_point(nodes, half, fine)
    out = np.empty((len(t), 3))
    for axis in range(3):
        followed = np.convolve(wanted[:, axis], answer, mode="valid")
        out[:, axis] = np.interp(t + lag, fine[len(answer) - 1 :], followed)
    return out


def between(places: np.ndarray, every_s: float, t: np.ndarray) -> np.ndarray:
    """A motion of which places at even times are known."""
    known = every_s * np.arange(len(places))
    return Akima1DInterpolator(known, places)(np.minimum(t, known[-1]))


def shifted_in_time(nodes: np.ndarray, place: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The robot's path with the delay that fits best taken out, by a search and a parabola."""
    shifts = np.linspace(-0.02, 0.02, 81)
    wide = np.arange(t[0] - 0.03, t[-1] + 0.03, 0.0035)
    path = robot_path(nodes, wide)

    def at(shift: float) -> np.ndarray:
        return np.column_stack([np.interp(t + shift, wide, path[:, k]) for k in range(3)])

    cost = np.array([np.mean((at(s) - place) ** 2) for s in shifts])
    best = int(np.clip(np.argmin(cost), 1, len(shifts) - 2))
    a, b, c = cost[best - 1 : best + 2]
    return at(float(shifts[best] + 0.5 * (shifts[1] - shifts[0]) * (a - c) / (a - 2.0 * b + c)))


def off_line(points: np.ndarray, line: np.ndarray, near: int) -> np.ndarray:
    """Distance of each point from a line that passes there about the same time."""
    found = np.empty(len(points))
    for k, point in enumerate(points):
        part = line[max(0, k - near) : k + near + 1]
        a, way = part[:-1], np.diff(part, axis=0)
        share = np.sum((point - a) * way, axis=1) / np.maximum(np.sum(way * way, axis=1), 1e-30)
        foot = a + np.clip(share, 0.0, 1.0)[:, None] * way
        found[k] = np.linalg.norm(point - foot, axis=1).min()
    return found


def errors(nodes: np.ndarray, place: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances in time and in space between the robot's path and a motion."""
    robot = shifted_in_time(np.vstack([nodes, nodes[-1]]), place, t)
    near = round(PERIOD_S / (t[1] - t[0]))
    beside = np.maximum(off_line(robot, place, near), off_line(place, robot, near))
    return np.linalg.norm(robot - place, axis=1), beside


def best_in_window(
    nodes: np.ndarray, place: np.ndarray, t: np.ndarray, free: np.ndarray, turns: int = 4
) -> float:
    """The least greatest error in time that an optimiser finds with some waypoints free.

    The path is linear in the waypoints while the blends stay: a norm of high power is minimised by
    a quasi-Newton method, then the blends are taken anew. Steps that are too long cost.
    """
    first = max(0, free[0] - 3)  # further waypoints change nothing here
    now, free = nodes[first : free[-1] + 4].copy(), free - first
    t, nodes = t - first * PERIOD_S, now
    least = float(np.linalg.norm(robot_path(now, t) - place, axis=1).max())
    for _ in range(turns):
        half = half_blends(now)
        unit = np.zeros_like(nodes)
        share = np.empty((len(t), len(free)))
        for column, k in enumerate(free):
            unit[:] = 0.0
            unit[k] = 1.0
            share[:, column] = robot_path(unit, t, half)[:, 0]
        error = robot_path(now, t, half) - place
        change = np.zeros((len(free), 3))
        for power in (4.0, 12.0, 40.0, 120.0):
            change = _least_norm(share, error, now, free, change, power)
        tried = []
        for part in (1.0, 0.5, 0.25, 0.1, 0.03):  # blends change with the waypoints
            other = now.copy()
            other[free] += part * change
            steps = np.linalg.norm(np.diff(other, axis=0), axis=1)
            if steps.max() <= STEP_MAX_M * 1.0005:
                off = np.linalg.norm(robot_path(other, t) - place, axis=1).max()
                tried.append((float(off), part, other))
        if not tried or min(tried)[0] > 0.999 * least:
            break
        least, _, now = min(tried)
    return least


def _least_norm(
    share: np.ndarray, error: np.ndarray, nodes: np.ndarray, free: np.ndarray, start: np.ndarray,
    power: float,
) -> np.ndarray:  # fmt: skip
    def cost(flat: np.ndarray) -> tuple[float, np.ndarray]:
        change = flat.reshape(-1, 3) / 1e3
        off = error + share @ change
        size = np.maximum(np.linalg.norm(off, axis=1), 1e-12)
        top = size.max()
        sum_ = np.sum((size / top) ** power)
        slope = share.T @ (((size / top) ** (power - 2.0))[:, None] * off) / top
        slope *= sum_ ** (1.0 / power - 1.0)
        value = top * sum_ ** (1.0 / power)
        moved = nodes.copy()
        moved[free] += change
        steps = np.diff(moved, axis=0)
        length = np.linalg.norm(steps, axis=1)
        over = np.maximum(length - STEP_MAX_M, 0.0)
        pull = (2e3 * over / np.maximum(length, 1e-12))[:, None] * steps
        whole = np.zeros_like(nodes)
        whole[1:] += pull
        whole[:-1] -= pull
        return 1e3 * (value + 1e3 * np.sum(over**2)), (slope + whole[free]).ravel()

    found = minimize(cost, 1e3 * start.ravel(), jac=True, method="L-BFGS-B",
                     options={"maxiter": 400, "ftol": 1e-10})  # fmt: skip
    return found.x.reshape(-1, 3) / 1e3
