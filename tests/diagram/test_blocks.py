"""Each kind against its equation, by a judge that shares nothing with it: NumPy and SciPy."""

import math

import numpy as np
import pytest
from scipy import integrate, signal
from scipy.spatial.transform import Rotation

from hil.config.file_search import configs_dir
from hil.diagram.check.diagram import check
from hil.diagram.file.model import FMU, Diagram, DiagramFile, DrawnBlock
from hil.diagram.library.kind import COMPOSITE, BlockSetting
from hil.diagram.library.registry import hidden, kinds
from hil.diagram.run.engine import Engine

BASE_S = 0.002
TICKS = 400
K = np.arange(TICKS)
T = K * BASE_S
RANDOM = np.random.default_rng(18)
A = RANDOM.normal(0.0, 1.0, TICKS)
B = RANDOM.normal(0.0, 1.0, TICKS)
C = RANDOM.normal(0.0, 1.0, TICKS)
P = RANDOM.random(TICKS) > 0.6
Q = RANDOM.random(TICKS) > 0.8
R = np.random.default_rng(19).random(TICKS) > 0.7
SHARP = RANDOM.random(TICKS) * 1.9 - 0.95
VECTOR, OTHER = RANDOM.normal(size=(TICKS, 3)), RANDOM.normal(size=(TICKS, 3))
TURNS = np.linalg.qr(RANDOM.normal(size=(TICKS, 3, 3)))[0]
MATRICES = RANDOM.normal(size=(TICKS, 3, 3))

PROPER, WANTED = Rotation.random(TICKS, rng=20), Rotation.random(TICKS, rng=21)
FOUR = RANDOM.normal(size=(TICKS, 4))
ARM = ((0.1, 0.3, 0.02, math.pi / 2), (0.0, 0.0, 0.5, 0.0), (-0.2, 0.1, 0.05, -math.pi / 2),
       (0.0, 0.4, 0.0, math.pi / 2), (0.0, 0.0, 0.0, -math.pi / 2),
       (0.0, 0.1, 0.0, 0.0))  # fmt: skip
ANGLES = RANDOM.uniform(-1.5, 1.5, (TICKS, 6))
LINEAR, ANGULAR = RANDOM.normal(size=(TICKS, 3, 6)), RANDOM.normal(size=(TICKS, 3, 6))
LEGS = RANDOM.normal(size=(2, 6, 3))
ROWS = {"lower": tuple(map(tuple, LEGS[0])), "upper": tuple(map(tuple, LEGS[1]))}


def run_block(kind, parameters, inputs, base_s=BASE_S, output=None):
    """Outputs of one block alone, inputs given tick by tick, shape (ticks, …)."""
    block = DrawnBlock(kind, parameters)
    blocks, wires = {"b": block}, {}
    found = kinds()[kind]
    whole = {one.name: parameters.get(one.name, one.default) for one in found.parameters}
    for port in found.ports_of(whole).inputs:
        if port.name not in inputs:
            continue
        face = {"shape": tuple(np.shape(inputs[port.name])[1:])}
        if port.type in COMPOSITE:
            face["type"] = port.type
        blocks[port.name] = DrawnBlock("In", face)
        wires[f"b.{port.name}"] = f"{port.name}.y"
    engine = Engine(check(DiagramFile(Diagram(blocks, wires), base_s)))
    names = [output] if output else [one.name for one in found.ports_of(whole).outputs]
    rows = []
    for tick in range(len(next(iter(inputs.values()))) if inputs else TICKS):
        for name, values in inputs.items():
            engine.set_input(name, values[tick])
        engine.step()
        rows.append(np.concatenate([engine.port("b", name) for name in names] or [[]]))
    return np.array(rows)


def packed(rotations, places):
    """Poses as a wire carries them, shape (ticks, 12)."""
    return np.hstack([rotations.reshape(-1, 9), places])


def homogeneous(rotations, places):
    """Poses as matrices of 4 by 4."""
    found = np.tile(np.eye(4), (len(rotations), 1, 1))
    found[:, :3, :3], found[:, :3, 3] = rotations, places
    return found


def unpacked(matrices):
    return np.hstack([matrices[:, :3, :3].reshape(-1, 9), matrices[:, :3, 3]])


def with_one(points):
    return np.hstack([points, np.ones((len(points), 1))])


def moved_wrench():
    """By virtual work: any twist of the body does the same work with both wrenches."""
    force, torque = PROPER.apply(OTHER), PROPER.apply(MATRICES[:, 0])
    found = np.zeros((TICKS, 6))
    for k, axis in enumerate(np.eye(3)):
        found[:, k] = force @ axis  # the body shifts along an axis
        speeds = np.cross(axis, VECTOR)  # it turns about one through the origin
        found[:, 3 + k] = torque @ axis + np.einsum("ki,ki->k", force, speeds)
    return found


def recursive(function, *inputs, start=0.0):
    """Outputs of y = f(y before, inputs)."""
    found, y = [], start
    for values in zip(*inputs, strict=True):
        y = function(y, *values)
        found.append(y)
    return np.array(found)


def before(values, first=0.0):
    return np.concatenate([[first], values[:-1]])


def held_for(values, ticks):
    """Whether each value and so many before it are all true."""
    padded = np.concatenate([np.zeros(ticks, bool), values])
    return np.all([padded[i : i + len(values)] for i in range(ticks + 1)], axis=0)


def pid(setpoint, measured):
    """PID with P on 0.7 r - y, filtered D, back-calculation, as a textbook writes it."""
    kp, ki, kd, b, N, tracking, low, high = 2.0, 30.0, 0.05, 0.7, 80.0, 0.2, -1.0, 1.5
    integral, d, last, found = 0.0, 0.0, None, []
    for r, y in zip(setpoint, measured, strict=True):
        d = 0.0 if last is None else (d + N * (y - last)) / (1 + N * BASE_S)
        v = kp * (b * r - y) + integral - kd * d
        u = min(max(v, low), high)
        found.append((u, float(u != v)))
        integral += BASE_S * ki * (r - y) + BASE_S / tracking * (u - v)
        last = y
    return np.array(found)


PID = {"kp": 2.0, "ki": 30.0, "kd": 0.05, "setpoint_weight": 0.7, "filter_per_s": 80.0,
       "tracking_s": 0.2, "low": -1.0, "high": 1.5}  # fmt: skip
SYSTEM = {"A": ((0.9, 0.1), (-0.2, 0.8)), "B": ((1.0, 0.0), (0.5, -1.0)),
          "C": ((1.0, 2.0), (0.0, 1.0)), "D": ((0.0, 0.3), (0.0, 0.0))}  # fmt: skip
ABOVE, BELOW = (2.0, 30.0), (1.0, 8.0, 100.0)
FALLING = K // 40 % 2 == 0
X_TABLE, Y_TABLE = (-1.0, 0.0, 0.5, 2.0), (1.0, -1.0, 3.0, 2.0)
MAP = ((0.0, 1.0, 4.0), (2.0, -1.0, 3.0))


def integral(u):
    return integrate.cumulative_trapezoid(u, T, initial=0.0)


def resetting(u, ticks):
    found = np.zeros(TICKS)
    for start in range(0, TICKS, ticks):
        piece = slice(start, start + ticks)
        found[piece] = integrate.cumulative_trapezoid(u[piece], dx=BASE_S, initial=0.0)
    return found


def state_space(u):
    _, y, _ = signal.dlsim((*map(np.array, SYSTEM.values()), 1.0), u)
    return y


def transfer(method, u):
    system = signal.cont2discrete((list(ABOVE), list(BELOW)), BASE_S, method)
    return signal.lfilter(np.ravel(system[0]), system[1], u)


def shifted(n):
    return np.array([[A[k - j] if k >= j else 0.25 for j in range(1, n + 1)] for k in K])


def wrench_torques():
    """Eq. (6) as the moment of the force about each joint's axis: z · (r × Rᵀf) + z · Rᵀmu."""
    found = []
    for R, f, mu, r in zip(TURNS, VECTOR, OTHER, MATRICES[:, 0], strict=True):
        found.append(np.cross(r, R.T @ f)[2] + (R.T @ mu)[2])
    return np.array(found)


def matrices(rotations):
    return rotations.as_matrix().reshape(len(rotations), 9)


def dh_end(angles, rows=ARM):
    """Poses of an arm's ends, shape (N, 4, 4): homogeneous matrices, row after row of the table."""
    whole = np.tile(np.eye(4), (len(angles), 1, 1))
    for q, (theta, d, a, alpha) in zip(np.transpose(angles), rows, strict=True):
        turn, twist = np.tile(np.eye(4), (len(angles), 1, 1)), np.eye(4)
        turn[:, :3, :3] = Rotation.from_rotvec(np.outer(q + theta, (0, 0, 1))).as_matrix()
        twist[:3, :3] = Rotation.from_rotvec((alpha, 0, 0)).as_matrix()
        twist[0, 3], twist[2, 3] = a, d
        whole = whole @ turn @ twist
    return whole


def damped(linear, angular, shift, turn, damping, length):
    """Least squares with the damping as rows of their own."""
    found = []
    for J_v, J_w, v, w in zip(linear, angular, shift, turn, strict=True):
        J = np.vstack([J_v / length, J_w, damping * np.eye(J_v.shape[1])])
        found.append(np.linalg.lstsq(J, np.concatenate([v / length, w, np.zeros(6)]))[0])
    return np.array(found)


SETS = "e low: below -0.5 0.2; e mid: -0.5 0.2 0.6; e high: above 0.2 0.6; r slow: -2 -1 0 0.5"
RULES = "e low and r slow -> -2; e mid -> 1 - 0.5 e + 2e-1 r; e high and r slow -> e + 3"


def sugeno(e, r):
    """Output and weight of the rules above, by triangles written as minima."""
    low = np.clip((0.2 - e) / 0.7, 0.0, 1.0)
    high = np.clip((e - 0.2) / 0.4, 0.0, 1.0)
    mid = np.maximum(np.minimum((e + 0.5) / 0.7, (0.6 - e) / 0.4), 0.0)
    slow = np.clip(np.minimum(r + 2.0, (0.5 - r) / 0.5), 0.0, 1.0)
    weights = np.array([low * slow, mid, high * slow])
    follows = np.array([np.full_like(e, -2.0), 1.0 - 0.5 * e + 0.2 * r, e + 3.0])
    total = weights.sum(axis=0)
    some = total > 1e-12
    mean = np.where(some, (weights * follows).sum(axis=0) / np.where(some, total, 1.0), 7.0)
    return np.stack([mean, total], axis=1)


def state_machine(p, q, r):
    """Speed, lamp, state and ticks of the case below, by its words."""
    state, ticks, found = "idle", -1, []
    gives = {"idle": (0.0, 1.0, 1), "run": (2.0, 0.0, 2), "stop": (-1.0, 5.0, 3)}
    for go, back, halt in zip(p, q, r, strict=True):
        ticks += 1
        if state == "idle" and go:
            state, ticks = "run", 0
        elif state == "run" and halt:
            state, ticks = "stop", 0
        elif halt or (state == "run" and back):
            state, ticks = "idle", 0
        found.append((*gives[state], ticks))
    return np.array(found)


def expression(u1, u2, p):
    """v, w, y and z of the case below, step by step."""
    x, found = 0.3, []
    for a, b, flag in zip(u1, u2, p, strict=True):
        v = 2.0 * (0.5 if a > 0.5 and not flag else a)
        found.append((v, v / 2.0 + b, x, x <= -b / 2.0))
        x += BASE_S * (v - x**3 / 0.1)
    return np.array(found)


SIDES = np.array([[1.0, 0.2], [-0.1, 1.0], [-1.0, 0.1], [0.3, -1.0]])
APART = np.random.default_rng(36).uniform(1.0, 1.2, (TICKS, 4, 1))
AROUND = VECTOR[:, None, :2] + APART * SIDES
"""Points on all sides of a place."""
U, UV = {"u": A}, {"u1": A, "u2": B}
LOGIC = {"u1": P, "u2": Q}
CASES = {
    "Constant": ({"value": ((1.0, 2.0), (3.0, 4.0))}, {},
                 np.tile([1.0, 2.0, 3.0, 4.0], (TICKS, 1))),
    "ConstantBoolean": ({"value": True}, {}, np.ones(TICKS)),
    "ConstantInteger": ({"value": -4}, {}, np.full(TICKS, -4.0)),
    "Step": ({"time_s": 0.1, "before": -1.0, "after": 2.0}, {}, np.where(K >= 50, 2.0, -1.0)),
    "Ramp": ({"start_s": 0.1, "slope": 3.0, "initial": 1.0}, {},
             1.0 + 3.0 * np.maximum(T - 0.1, 0)),
    "Sine": ({"amplitude": 2.0, "frequency_hz": 3.0, "phase_rad": 0.4, "bias": 1.0}, {},
             1.0 + 2.0 * np.sin(6.0 * np.pi * T + 0.4)),
    "Chirp": ({"amplitude": 2.0, "start_hz": 1.0, "end_hz": 9.0, "duration_s": 1.0}, {},
              2.0 * signal.chirp(T, 1.0, 1.0, 9.0, phi=-90)),
    "Pulse": ({"period_s": 0.1, "width": 0.3, "delay_s": 0.02, "low": 1.0, "high": 4.0}, {},
              np.where((K >= 10) & ((K - 10) % 50 < 15), 4.0, 1.0)),
    "PulseBoolean": ({"period_s": 0.1, "width": 0.3, "delay_s": 0.02}, {},
                     (K >= 10) & ((K - 10) % 50 < 15)),
    "TimeTable": ({"times_s": (0.1, 0.2, 0.5), "values": (1.0, -1.0, 2.0)}, {},
                  np.interp(T, (0.1, 0.2, 0.5), (1.0, -1.0, 2.0))),
    "Clock": ({}, {}, T), "TickCount": ({}, {}, K),
    "Sum": ({"signs": "+-+"}, {"u1": A, "u2": B, "u3": C}, A - B + C),
    "Multiply": ({}, UV, A * B), "Divide": ({}, UV, A / B),
    "Gain": ({"k": -2.5}, U, -2.5 * A), "Bias": ({"bias": 1.5}, U, A + 1.5),
    "Negate": ({}, U, -A), "Abs": ({}, U, np.abs(A)), "Sign": ({}, U, np.sign(A)),
    "Square": ({}, U, A**2), "Sqrt": ({}, {"u": A**2}, np.abs(A)), "Reciprocal": ({}, U, 1.0 / A),
    "Power": ({"exponent": 2.5}, {"u": np.abs(A)}, np.abs(A) ** 2.5),
    "Exp": ({}, U, np.exp(A)), "Log": ({}, {"u": np.abs(A)}, np.log(np.abs(A))),
    "Log10": ({}, {"u": np.abs(A)}, np.log10(np.abs(A))),
    "Minimum": ({}, UV, np.minimum(A, B)), "Maximum": ({}, UV, np.maximum(A, B)),
    "Hypot": ({}, UV, np.hypot(A, B)), "Modulo": ({"period": 0.7}, U, np.mod(A, 0.7)),
    "Floor": ({}, U, np.floor(A)), "Ceil": ({}, U, np.ceil(A)),
    "Round": ({}, {"u": np.round(A * 4) / 2}, np.floor(np.round(A * 4) / 2 + 0.5)),
    "Sin": ({}, U, np.sin(A)), "Cos": ({}, U, np.cos(A)), "Tan": ({}, U, np.tan(A)),
    "Asin": ({}, {"u": SHARP}, np.arcsin(SHARP)), "Acos": ({}, {"u": SHARP}, np.arccos(SHARP)),
    "Atan": ({}, U, np.arctan(A)), "Atan2": ({}, UV, np.arctan2(A, B)), "Tanh": ({}, U, np.tanh(A)),
    "WrapAngle": ({}, {"u": 5.0 * A}, np.angle(np.exp(5j * A))),
    "Convert": ({"from": "deg", "to": "rad"}, {"u": 90.0 * A}, np.radians(90.0 * A)),
    "Less": ({}, UV, A < B), "LessEqual": ({}, {"u1": np.round(A), "u2": np.round(B)},
                                           np.round(A) <= np.round(B)),
    "Greater": ({}, UV, A > B), "GreaterEqual": ({}, {"u1": np.round(A), "u2": np.round(B)},
                                                 np.round(A) >= np.round(B)),
    "Near": ({"tolerance": 0.5}, UV, np.abs(A - B) <= 0.5),
    "Within": ({"low": -0.5, "high": 0.7}, U, (A >= -0.5) & (A <= 0.7)),
    "And": ({}, LOGIC, P & Q), "Or": ({}, LOGIC, P | Q), "Xor": ({}, LOGIC, P ^ Q),
    "Nand": ({}, LOGIC, ~(P & Q)), "Nor": ({}, LOGIC, ~(P | Q)), "Not": ({}, {"u": P}, ~P),
    "BooleanToReal": ({}, {"u": P}, P), "IntegerToReal": ({}, {"u": K}, K),
    "RealToInteger": ({}, U, np.floor(A + 0.5)),
    "UnitDelay": ({"initial": 0.25}, U, before(A, 0.25)),
    "Delay": ({"ticks": 7, "initial": 0.25}, U, np.concatenate([np.full(7, 0.25), A[:-7]])),
    "ShiftRegister": ({"ticks": 4, "initial": 0.25}, U, shifted(4)),
    "MovingAverage": ({"ticks": 5}, U, signal.lfilter(np.full(5, 0.2), 1.0, A)),
    "SampleHold": ({"initial": 2.0}, {"u": A, "hold": P},
                   recursive(lambda y, u, hold: y if hold else u, A, P, start=2.0)),
    "Latch": ({}, {"set": P, "reset": Q},
              recursive(lambda y, on, off: 0.0 if off else 1.0 if on else y, P, Q)),
    "Edge": ({"edge": "both"}, {"u": P}, P ^ before(P, False).astype(bool)),
    "Toggle": ({}, {"u": P}, np.cumsum(P & ~before(P, False).astype(bool)) % 2),
    "Counter": ({"modulo": 5}, {"up": P}, np.cumsum(P & ~before(P, False).astype(bool)) % 5),
    "OnDelay": ({"time_s": 0.006}, {"u": ~Q}, held_for(~Q, 3)),
    "OffDelay": ({"time_s": 0.006}, {"u": Q}, ~held_for(~Q & (K > -1), 3) & (
        np.cumsum(Q) > 0)),
    "Saturation": ({"low": -0.5, "high": 0.7}, U,
                   np.stack([np.clip(A, -0.5, 0.7), (A < -0.5) | (A > 0.7)], axis=1)),
    "DeadZone": ({"width": 0.4}, U, np.sign(A) * np.maximum(np.abs(A) - 0.4, 0.0)),
    "Quantiser": ({"q": 0.3}, U, 0.3 * np.floor(A / 0.3 + 0.5)),
    "Hysteresis": ({"on_at": 0.6, "off_at": -0.6}, U,
                   recursive(lambda y, u: 1.0 if u >= 0.6 else 0.0 if u <= -0.6 else y, A)),
    "Backlash": ({"half_width": 0.5}, U, recursive(lambda y, u: min(max(y, u - 0.5), u + 0.5), A)),
    "RateLimit": ({"rise": 100.0, "fall": 50.0}, U,
                  recursive(lambda y, u: y + np.clip(u - y, -0.1, 0.2), A)),
    "Polynomial": ({"coefficients": (1.0, -2.0, 0.5, 3.0)}, U,
                   np.polyval([3.0, 0.5, -2.0, 1.0], A)),
    "Lookup1": ({"x": X_TABLE, "y": Y_TABLE}, U, np.interp(A, X_TABLE, Y_TABLE)),
    "Lookup2": ({"x1": (-1.0, 1.0), "x2": (-1.0, 0.0, 2.0), "y": MAP}, UV, None),
    "Integral": ({"initial": 0.5}, U, 0.5 + integral(A)),
    "IntegralForward": ({"initial": 0.5}, U, 0.5 + before(np.cumsum(A) * BASE_S)),
    "LimitedIntegral": ({"low": -0.003, "high": 0.004}, U, recursive(
        lambda y, u, last: min(max(y + BASE_S / 2 * (u + last), -0.003), 0.004), A,
        np.concatenate([[-A[0]], A[:-1]]))),
    "ResettingIntegral": ({"reset_s": 0.1}, U, resetting(A, 50)),
    "Lag": ({"time_s": 0.05}, U, signal.lfilter(
        [0.0, 1 - math.exp(-0.04)], [1.0, -math.exp(-0.04)], A)),
    "HighPass": ({"time_s": 0.05}, U, A - signal.lfilter(
        [0.0, 1 - math.exp(-0.04)], [1.0, -math.exp(-0.04)], A)),
    "LeadLag": ({"k": 2.0, "lead_s": 0.3, "lag_s": 0.05}, U, signal.lfilter(
        *signal.bilinear([0.6, 2.0], [0.05, 1.0], 1.0 / BASE_S), A)),
    "Derivative": ({"filter_per_s": 50.0}, U, signal.lfilter(
        [50.0, -50.0], [1.1, -1.0], A - A[0])),  # it begins without a kick
    "PI": ({"kp": 0.7, "ki": 4.0}, {"e": A, "feedforward": B}, B + 0.7 * A + 4.0 * integral(A)),
    "PID": (PID, {"setpoint": A, "measured": B}, pid(A, B)),
    "TransferFunction": ({"numerator": ABOVE, "denominator": BELOW, "method": "bilinear"}, U,
                         transfer("bilinear", A)),
    "StateSpace": (SYSTEM, UV, state_space(np.stack([A, B], axis=1))),
    "Mux": ({"width": 3}, {"u1": A, "u2": B, "u3": C}, np.stack([A, B, C], axis=1)),
    "Demux": ({"width": 3}, {"u": VECTOR}, VECTOR),
    "Select": ({"width": 3, "index": 2}, {"u": VECTOR}, VECTOR[:, 1]),
    "Switch": ({}, {"condition": P, "u1": VECTOR, "u2": OTHER},
               np.where(P[:, None], VECTOR, OTHER)),
    "MultiportSwitch": ({"width": 3}, {"index": K % 5, "u1": A, "u2": B, "u3": C},
                        np.choose(np.clip(K % 5, 1, 3) - 1, [A, B, C])),
    "Merge": ({"width": 2, "initial": 7.0}, {"u1": A, "u2": B, "new1": P, "new2": Q},
              recursive(lambda y, a, b, p, q: a if p else b if q else y, A, B, P, Q, start=7.0)),
    "RateTransition": ({}, U, A),
    "MatrixGain": ({"k": ((1.0, 2.0, 3.0), (0.0, -1.0, 0.5))}, {"u": VECTOR},
                   VECTOR @ np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 0.5]]).T),
    "Dot": ({}, {"u1": VECTOR, "u2": OTHER}, np.einsum("ki,ki->k", VECTOR, OTHER)),
    "Cross": ({}, {"u1": VECTOR, "u2": OTHER}, np.cross(VECTOR, OTHER)),
    "Norm": ({}, {"u": VECTOR}, np.linalg.norm(VECTOR, axis=1)),
    "SumElements": ({}, {"u": VECTOR}, VECTOR.sum(axis=1)),
    "Scale": ({}, {"k": A, "u": VECTOR}, A[:, None] * VECTOR),
    "MatrixProduct": ({}, {"u1": TURNS, "u2": MATRICES}, (TURNS @ MATRICES).reshape(TICKS, 9)),
    "Rotate": ({}, {"rotation": TURNS, "v": VECTOR}, np.einsum("kij,kj->ki", TURNS, VECTOR)),
    "RotateBack": ({}, {"rotation": TURNS, "v": VECTOR}, np.einsum("kji,kj->ki", TURNS, VECTOR)),
    "RotationAbout": ({"axis": "y"}, U, np.array([
        [[math.cos(a), 0.0, math.sin(a)], [0.0, 1.0, 0.0], [-math.sin(a), 0.0, math.cos(a)]]
        for a in A]).reshape(TICKS, 9)),
    "ForceTransform": ({}, {"f": VECTOR, "mu": OTHER, "rotation": TURNS[:, None],
                            "position": MATRICES[:, :1]}, wrench_torques()),
    "Transpose": ({}, {"u": MATRICES}, MATRICES.transpose(0, 2, 1).reshape(TICKS, 9)),
    "RotationFromAngles": ({}, {"u": VECTOR}, matrices(Rotation.from_euler("xyz", VECTOR))),
    "AnglesFromRotation": ({}, {"rotation": PROPER.as_matrix()}, PROPER.as_euler("xyz")),
    "RotationVector": ({}, {"rotation": PROPER.as_matrix()}, PROPER.as_rotvec()),
    "RotationFromVector": ({}, {"u": VECTOR}, matrices(Rotation.from_rotvec(VECTOR))),
    "QuaternionFromRotation": ({}, {"rotation": PROPER.as_matrix()}, None),
    "RotationFromQuaternion": ({}, {"u": FOUR},
                               matrices(Rotation.from_quat(FOUR, scalar_first=True))),
    "Pose": ({}, {"rotation": TURNS, "position": VECTOR}, packed(TURNS, VECTOR)),
    "PoseParts": ({}, {"pose": packed(TURNS, VECTOR)}, packed(TURNS, VECTOR)),
    "PoseProduct": ({}, {"pose1": packed(TURNS, VECTOR), "pose2": packed(MATRICES, OTHER)},
                    unpacked(homogeneous(TURNS, VECTOR) @ homogeneous(MATRICES, OTHER))),
    "PoseInverse": ({}, {"pose": packed(TURNS, VECTOR)},
                    unpacked(np.linalg.inv(homogeneous(TURNS, VECTOR)))),
    "TransformPoint": ({}, {"pose": packed(TURNS, VECTOR), "point": OTHER},
                       (homogeneous(TURNS, VECTOR) @ with_one(OTHER)[:, :, None])[:, :3, 0]),
    "PoseError": ({}, {"wanted": packed(WANTED.as_matrix(), VECTOR),
                       "pose": packed(PROPER.as_matrix(), OTHER)},
                  np.hstack([(WANTED * PROPER.inv()).as_rotvec(), VECTOR - OTHER])),
    "Wrench": ({}, {"force": VECTOR, "torque": OTHER}, np.hstack([VECTOR, OTHER])),
    "WrenchParts": ({}, {"wrench": np.hstack([VECTOR, OTHER])}, np.hstack([VECTOR, OTHER])),
    "TransformWrench": ({}, {"pose": packed(PROPER.as_matrix(), VECTOR),
                             "wrench": np.hstack([OTHER, MATRICES[:, 0]])}, moved_wrench()),
    "ForwardKinematics": ({"dh": ARM}, {"q": ANGLES}, unpacked(dh_end(ANGLES))),
    "Jacobian": ({"dh": ARM}, {"q": ANGLES}, None),
    "DampedLeastSquares": ({"damping": 0.3, "length_m": 0.7}, {
        "linear": LINEAR, "angular": ANGULAR, "shift": VECTOR, "turn": OTHER},
        damped(LINEAR, ANGULAR, VECTOR, OTHER, 0.3, 0.7)),
    "CoordinateDescent": ({"dh": ARM, "turn_m": 0.3, "step_max_rad": 3.0}, {
        "pose": packed(PROPER.as_matrix(), 0.3 * VECTOR)}, None),
    "HexapodLengths": (ROWS, {"pose": packed(TURNS, VECTOR)}, np.linalg.norm(
        VECTOR[:, None] + np.einsum("kij,lj->kli", TURNS, LEGS[1]) - LEGS[0], axis=2)),
    "BeamMemory": ({"fans": "left", "beams": ROWS["lower"][:3], "points": 4, "reach_m": 1.0}, {
                        "place": VECTOR, "ahead": OTHER, "left": np.abs(VECTOR),
                        "left_seen": OTHER > 0.0}, None),
    "FreeDirection": ({"points": 4, "half_width_m": 0.9}, {
        "points": AROUND, "place": VECTOR, "wanted": A, "hand": B, "length": np.abs(C)}, None),
    "FreeLength": ({"points": 4, "half_width_m": 0.8}, {
        "points": AROUND, "place": VECTOR, "direction": A, "length": np.abs(C)}, None),
    "NearestPoint": ({"points": 4}, {"points": AROUND, "place": VECTOR}, np.linalg.norm(
        AROUND - VECTOR[:, None, :2], axis=2).min(axis=1)),
    "Expression": (
        {"text": "v = if(u1 > lim and not p, lim, u1)*k; x' = v - x^3/tau; y = x; w = v/k + u2; "
                 "z = y <= -u2/2",
         "names": "lim k tau", "values": (0.5, 2.0, 0.1), "start": (0.3,),
         "units": "k 1/s, v 1/s, tau s"},
        {"u1": A, "u2": B, "p": P}, expression(A, B, P)),
    "Sugeno": ({"sets": SETS, "rules": RULES, "otherwise": 7.0}, {"e": A, "r": B}, sugeno(A, B)),
    "StateMachine": (
        {"names": "idle run stop", "gives": "speed lamp", "values": ((0.0, 1.0), (2.0, 0.0),
                                                                     (-1.0, 5.0)),
         "transitions": "idle -> run: p; run -> idle: q 3; run -> stop: r 1; * -> idle: r 2"},
        {"p": P, "q": Q, "r": R}, state_machine(P, Q, R)),
    "PanelSlider": ({"value": 0.4, "high": 2.0, "unit": "N"}, {}, np.full(TICKS, 0.4)),
    "PanelSwitch": ({"on": True}, {}, np.ones(TICKS)),
    "PanelButton": ({"presses": 2}, {}, K < 0),
    "PanelLamp": ({}, {"u": P}, None), "PanelNumber": ({}, {"u": A}, None),
    "PanelText": ({}, {"u": P}, None),
    "File": ({"file": "test_drive.csv", "column": "f_x_m_s2", "unit": "m/s^2"}, {},
             np.interp(T, *np.loadtxt(configs_dir() / "motions" / "test_drive.csv", delimiter=",",
                                      skiprows=1, usecols=(0, 1)).T)),
    "UniformNoise": ({"low": -1.0, "high": 3.0}, {}, None),
    "NormalNoise": ({"mean": 1.0, "sigma": 2.0}, {}, None),
}  # fmt: skip
"""Kind → parameters, inputs, outputs; None where a test of its own judges."""


@pytest.mark.parametrize("k", [0.0, -2.5, 3.0])
def test_a_number_as_a_matrix_is_that_many_times_the_unit_matrix(k):
    found = run_block("MatrixGain", {"k": k}, {"u": VECTOR})
    np.testing.assert_allclose(found, k * VECTOR, rtol=1e-15)


def test_every_kind_has_a_case():
    assert set(CASES) == set(kinds()) - {FMU}  # that one has tests/diagram/test_fmu_blocks.py


@pytest.mark.parametrize("kind", [name for name, case in CASES.items() if case[2] is not None])
def test_a_kind_computes_its_equation(kind):
    parameters, inputs, wanted = CASES[kind]
    found = run_block(kind, parameters, inputs)
    wanted = np.asarray(wanted, dtype=float).reshape(TICKS, -1)
    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-12)


def test_lookup2_is_bilinear_within_and_held_beyond():
    from scipy.interpolate import RegularGridInterpolator

    parameters, inputs, _ = CASES["Lookup2"]
    grid = RegularGridInterpolator((parameters["x1"], parameters["x2"]), np.array(MAP))
    points = np.stack([np.clip(A, -1.0, 1.0), np.clip(B, -1.0, 2.0)], axis=1)
    found = run_block("Lookup2", parameters, inputs)
    np.testing.assert_allclose(found[:, 0], grid(points), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("method", ["zoh", "foh", "bilinear", "backward_diff"])
def test_a_transfer_function_is_made_discrete_as_scipy_does(method):
    parameters = {"numerator": ABOVE, "denominator": BELOW, "method": method}
    found = run_block("TransferFunction", parameters, {"u": A})
    np.testing.assert_allclose(found[:, 0], transfer(method, A), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(("axis", "vector"), [("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1))])
def test_a_rotation_turns_about_its_axis(axis, vector):
    found = run_block("RotationAbout", {"axis": axis}, {"u": A})
    wanted = Rotation.from_rotvec(np.outer(A, vector)).as_matrix().reshape(TICKS, 9)
    np.testing.assert_allclose(found, wanted, atol=1e-14)


def test_a_quaternion_is_one_of_the_two_and_its_greatest_number_is_above_0():
    near = Rotation.from_rotvec(np.pi * (1.0 - 1e-9 * np.arange(4)[:, None]) * np.array(
        [[1.0, 0.0, 0.0], [0.0, 0.6, 0.8], [0.0, 0.0, -1.0], [0.6, 0.0, 0.8]]))  # fmt: skip
    for turns in (PROPER, near, Rotation.identity(3)):
        found = run_block("QuaternionFromRotation", {}, {"rotation": turns.as_matrix()})
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-12)
        assert (np.take_along_axis(found, np.abs(found).argmax(1)[:, None], 1) > 0.0).all()
        wanted = turns.as_quat(scalar_first=True)
        sign = np.sign(np.sum(found * wanted, axis=1))[:, None]
        np.testing.assert_allclose(found, sign * wanted, atol=1e-12)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-9, 1e-3, 3.0, np.pi - 1e-3, np.pi - 1e-9, np.pi])
def test_a_rotation_and_its_vector_go_into_each_other_also_at_their_ends(angle):
    axes = np.vstack([np.eye(3), -np.eye(3), RANDOM.normal(size=(30, 3))])
    vectors = angle * axes / np.linalg.norm(axes, axis=1)[:, None]
    turned = run_block("RotationFromVector", {}, {"u": vectors})
    exact = Rotation.from_rotvec(vectors).as_matrix()
    np.testing.assert_allclose(turned, exact.reshape(-1, 9), atol=1e-15)
    found = run_block("RotationVector", {}, {"rotation": exact})
    back = Rotation.from_rotvec(found).as_matrix()
    np.testing.assert_allclose(back, exact, atol=2e-15 if angle < 3.0 else 1e-12)
    assert (np.linalg.norm(found, axis=1) <= np.pi + 1e-15).all()


def test_a_jacobian_is_how_the_end_moves_with_each_joint():
    step, found = 1e-6, run_block("Jacobian", {"dh": ARM}, {"q": ANGLES[:40]})
    linear, angular = found.reshape(-1, 2, 3, 6).transpose(1, 0, 2, 3)
    for joint in range(6):
        moved = [dh_end(ANGLES[:40] + sign * step * np.eye(6)[joint]) for sign in (1.0, -1.0)]
        shift = (moved[0][:, :3, 3] - moved[1][:, :3, 3]) / (2.0 * step)
        turns = Rotation.from_matrix(moved[0][:, :3, :3] @ moved[1][:, :3, :3].transpose(0, 2, 1))
        np.testing.assert_allclose(linear[:, :, joint], shift, atol=1e-9)
        np.testing.assert_allclose(angular[:, :, joint], turns.as_rotvec() / (2 * step), atol=1e-9)


STANDS = ((0.2, 0.5, -0.1, 0.7, 0.0), *((*row, 1.0) for row in ARM[:3]), (0.3, 0.0, 0.2, -0.4, 0.0),
          *((*row, 1.0) for row in ARM[3:]), (-0.6, 0.15, 0.0, 0.0, 0.0))  # fmt: skip
"""The same arm on a mount, with a bend in a link and a tool."""
PLAIN = tuple(row[:4] for row in STANDS)


def with_still(angles):
    """Angles of all rows, 0 of those that stand."""
    found = np.zeros((len(angles), len(STANDS)))
    found[:, [place for place, row in enumerate(STANDS) if row[4]]] = angles
    return found


def test_rows_that_stand_belong_to_the_arm_and_not_to_its_joints():
    end = dh_end(with_still(ANGLES), PLAIN)
    found = run_block("ForwardKinematics", {"dh": STANDS}, {"q": ANGLES})
    np.testing.assert_allclose(found, unpacked(end), atol=1e-12)
    step, found = 1e-6, run_block("Jacobian", {"dh": STANDS}, {"q": ANGLES[:20]})
    linear, angular = found.reshape(-1, 2, 3, 6).transpose(1, 0, 2, 3)
    for joint in range(6):
        moved = [dh_end(with_still(ANGLES[:20] + sign * step * np.eye(6)[joint]), PLAIN)
                 for sign in (1.0, -1.0)]  # fmt: skip
        shift = (moved[0][:, :3, 3] - moved[1][:, :3, 3]) / (2.0 * step)
        turns = Rotation.from_matrix(moved[0][:, :3, :3] @ moved[1][:, :3, :3].transpose(0, 2, 1))
        np.testing.assert_allclose(linear[:, :, joint], shift, atol=1e-9)
        np.testing.assert_allclose(angular[:, :, joint], turns.as_rotvec() / (2 * step), atol=1e-9)
    goal = dh_end(with_still(0.6 * ANGLES[3:4]), PLAIN)
    inputs = {"pose": np.tile(unpacked(goal), (900, 1))}
    parameters = {"dh": STANDS, "turn_m": 0.2, "sweeps": 4}
    last = run_block("CoordinateDescent", parameters, inputs)[-1]
    reached = dh_end(with_still(last[None, :6]), PLAIN)
    np.testing.assert_allclose(reached[0, :3, 3], goal[0, :3, 3], atol=2e-2)
    assert last[6] == pytest.approx(np.linalg.norm(reached[0, :3, 3] - goal[0, :3, 3]), abs=1e-12)


def descended(ticks, goal, **parameters):
    """Angles and distance of each tick towards a goal that stays."""
    inputs = {"pose": np.tile(unpacked(goal[None]), (ticks, 1))}
    found = run_block("CoordinateDescent", {"dh": ARM, **parameters}, inputs)
    return found[:, :6], found[:, 6]


def test_coordinate_descent_comes_to_the_pose_within_its_limits_and_by_its_steps():
    for number in range(6):
        goal = dh_end(0.6 * ANGLES[number : number + 1])[0]
        bounds = {"low": (-1.6,), "high": (1.6,), "turn_m": 0.2}
        angles, distance = descended(900, goal, sweeps=4, step_max_rad=0.05, **bounds)
        assert np.abs(angles).max() <= 1.6
        steps = np.abs(np.diff(np.vstack([np.zeros(6), angles]), axis=0))
        assert steps.max() <= 4 * 0.05 + 1e-12
        ends = dh_end(angles)
        cost = np.sum((ends[:, :3, 3] - goal[:3, 3]) ** 2, axis=1) + 0.2**2 / 2 * np.sum(
            (ends[:, :3, :3] - goal[:3, :3]) ** 2, axis=(1, 2))  # fmt: skip
        assert (np.diff(cost) <= 1e-12).all()
        assert cost[-1] < 1e-3 * max(cost[0], 1e-2)
        np.testing.assert_allclose(distance, np.linalg.norm(ends[:, :3, 3] - goal[:3, 3], axis=1),
                                   atol=1e-12)  # fmt: skip


def test_a_step_of_coordinate_descent_is_the_best_of_its_joint():
    from scipy.optimize import minimize_scalar

    goal = dh_end(ANGLES[:1])[0]
    (angles,), _ = descended(1, goal, step_max_rad=math.pi, turn_m=0.3)
    q = np.zeros(6)
    for joint in reversed(range(6)):

        def cost(angle, joint=joint):
            tried = np.where(np.arange(6) == joint, angle, q)
            end = dh_end(tried[None])[0]
            turned = np.sum((end[:3, :3] - goal[:3, :3]) ** 2)
            return np.sum((end[:3, 3] - goal[:3, 3]) ** 2) + 0.3**2 / 2 * turned

        starts = np.linspace(-np.pi, np.pi, 25)
        best = min(starts, key=cost)
        near = minimize_scalar(cost, bounds=(best - 0.3, best + 0.3), method="bounded",
                               options={"xatol": 1e-10})  # fmt: skip
        q[joint] = np.clip(near.x, -np.pi, np.pi)
        assert abs(angles[joint] - q[joint]) < 1e-5
        q[joint] = angles[joint]


def test_coordinate_descent_with_the_place_alone_does_not_care_for_the_turn():
    goal = dh_end(0.6 * ANGLES[7:8])[0]
    _, distance = descended(400, goal, sweeps=3, step_max_rad=0.2)
    assert distance[-1] < 1e-6


@pytest.mark.parametrize(
    ("kind", "parameters", "why"),
    [
        ("ForwardKinematics", {"dh": ((1.0, 2.0),)}, "theta, d, a and alpha"),
        ("ForwardKinematics", {"dh": ((1.0, 2.0, 0.0, 0.0, 0.5),)}, "0 or 1 behind them"),
        ("Jacobian", {"dh": ((1.0, 2.0, 0.0, 0.0, 0.0),)}, "1 rows, 0 of them turn"),
        ("Jacobian", {"dh": ((1.0, 2.0, 0.0, 0.0),) * 33}, "33 rows, 33 of them turn; 1 to 32"),
        ("CoordinateDescent", {"dh": ARM, "start": (0.0, 1.0)}, "1 or 6 numbers"),
        ("CoordinateDescent", {"dh": ARM, "start": (4.0,)}, "joint 1: start = 4"),
        ("Sugeno", {"sets": "e low: 1 0", "rules": "e low -> 1"}, "a < b < c"),
        ("Sugeno", {"sets": "e low: below 0 1", "rules": "e low -> 1 2"}, "write it as input word"),
        ("Sugeno", {"sets": "e low: below 0 1", "rules": "e lo -> 1"}, "did you mean e low"),
        ("Sugeno", {"sets": "e low: below 0 1", "rules": "e low -> 2 f"}, "no input 'f'"),
        ("Sugeno", {"sets": "e low: below 0 1; f low: below 0 1", "rules": "e low -> 1"},
         "no rule uses f"),
        ("Sugeno", {"sets": "e low: below 0 1; e low: below 0 1", "rules": "e low -> 1"}, "twice"),
        ("HexapodLengths", {"lower": ((1.0, 2.0),), "upper": ((1.0, 2.0),)}, "x, y and z"),
        ("BeamMemory", {"fans": "a b", "beams": ((0.0, 0.0, 0.0),)}, "1 rows for 2 fans"),
        ("BeamMemory", {"fans": "a a", "beams": ((0.0, 0.0, 0.0),) * 2}, "each once"),
        ("BeamMemory", {"fans": "a", "beams": ((0.0, 0.0),)}, "rows of x, y and angle"),
        ("BeamMemory", {"fans": "a-b", "beams": ((0.0, 0.0, 0.0),)}, "a letter, then at most"),
        ("HexapodLengths", {"lower": LEGS[0].tolist(), "upper": LEGS[1, :5].tolist()},
         "as many rows"),
    ],
)  # fmt: skip
def test_wrong_parameters_are_told(kind, parameters, why):
    from hil.config.errors import ConfigError
    from hil.diagram.run.change import tuples

    drawn = Diagram({"b": DrawnBlock(kind, {key: tuples(one) for key, one in parameters.items()})})
    with pytest.raises(ConfigError, match=why):
        check(DiagramFile(drawn))


def test_noise_has_its_moments_and_is_its_seeds_and_its_tick_alone():
    from scipy import stats

    uniform = run_block("UniformNoise", {"low": -1.0, "high": 3.0}, {})[:, 0]
    normal = run_block("NormalNoise", {"mean": 1.0, "sigma": 2.0}, {})[:, 0]
    assert stats.kstest(uniform, stats.uniform(-1.0, 4.0).cdf).pvalue > 0.01
    assert stats.kstest(normal, stats.norm(1.0, 2.0).cdf).pvalue > 0.01
    again = run_block("NormalNoise", {"mean": 1.0, "sigma": 2.0}, {})[:, 0]
    other = run_block("NormalNoise", {"mean": 1.0, "sigma": 2.0, "seed": 1}, {})[:, 0]
    assert np.array_equal(normal, again)
    assert abs(np.corrcoef(normal, other)[0, 1]) < 0.15


@pytest.mark.parametrize(("base_s", "ticks"), [(0.002, 2500), (0.01, 500), (0.001, 5000)])
def test_a_reset_after_five_seconds_comes_at_its_tick(base_s, ticks):
    ones = np.ones(2 * ticks + 2)
    found = run_block("ResettingIntegral", {"reset_s": 5.0}, {"u": ones}, base_s)[:, 0]
    assert np.flatnonzero(found == 0.0).tolist() == [0, ticks, 2 * ticks]


def test_elements_of_a_vector_are_computed_alone():
    found = run_block("Lag", {"time_s": 0.05}, {"u": VECTOR})
    for column in range(3):
        alone = run_block("Lag", {"time_s": 0.05}, {"u": VECTOR[:, column]})
        assert np.array_equal(found[:, column], alone[:, 0])


@pytest.mark.parametrize("kind", [one for one in kinds() if one != FMU])
def test_the_example_of_a_kind_runs(kind):
    found = kinds()[kind]
    parameters = dict(found.example.parameters)
    whole = {one.name: parameters.get(one.name, one.default) for one in found.parameters}
    wanted = {one.name for one in found.ports_of(whole).inputs if not one.optional}
    assert wanted <= set(found.example.inputs)
    inputs = {name: [np.array(value)] * 5 for name, value in found.example.inputs.items()}
    assert np.isfinite(run_block(kind, parameters, inputs)).all()


@pytest.mark.parametrize("kind", [*kinds().values(), *hidden().values()], ids=lambda one: one.name)
def test_a_kind_is_whole_data(kind):
    from hil.diagram.kernel import CODES
    from hil.diagram.library.kind import RESERVED

    assert kind.about.endswith(".")
    assert kind.equation
    assert not RESERVED & {one.name for one in kind.parameters}
    drawn = {one.name.upper() for one in (*kinds().values(), *hidden().values())
             if one.drawn is None}  # fmt: skip
    assert {*drawn, "PYTHONBLOCK"} == CODES.keys()
    assert len(set(CODES.values())) == len(CODES)
    parameters = {one.name: kind.example.parameters.get(one.name, one.default)
                  for one in kind.parameters}  # fmt: skip
    names = {one.name for one in kind.ports_of(parameters).inputs}
    for source, _ in kind.direct_of(parameters):
        assert source in names
    assert kind.initial_of(parameters, BlockSetting("b", 2, 0.01, 0.002)) is not None


def test_a_change_of_gains_moves_no_output_of_a_pid():
    steady = np.full(TICKS, 0.4)
    drawn = {"b": DrawnBlock("PID", {"kp": 1.0, "ki": 0.0, "kd": 0.2}),
             "setpoint": DrawnBlock("In"), "measured": DrawnBlock("In")}  # fmt: skip
    wires = {"b.setpoint": "setpoint.y", "b.measured": "measured.y"}
    engine = Engine(check(DiagramFile(Diagram(drawn, wires))))
    found = []
    for tick, value in enumerate(steady):
        if tick == 200:
            engine.set_parameters({("b", "kp"): 3.0, ("b", "kd"): 0.0})
        engine.set_input("setpoint", 1.0)
        engine.set_input("measured", value)
        engine.step()
        found.append(engine.port("b", "u")[0])
    assert np.ptp(found[2:]) < 1e-12


def alone_engine(kind, parameters, inputs):
    """An engine of one block, each input by a top-level input of its name."""
    blocks, wires = {"b": DrawnBlock(kind, parameters)}, {}
    for name, values in inputs.items():
        blocks[name] = DrawnBlock("In", {"shape": np.shape(values)[1:]})
        wires[f"b.{name}"] = f"{name}.y"
    return Engine(check(DiagramFile(Diagram(blocks, wires), BASE_S)))


@pytest.mark.parametrize("kind", [name for name, case in CASES.items() if case[1]])
def test_feed_through_is_what_a_changed_input_changes_within_the_tick(kind):
    parameters, inputs, _ = CASES[kind]
    found = kinds()[kind]
    engine = alone_engine(kind, parameters, inputs)
    values = {one.name: parameters.get(one.name, one.default) for one in found.parameters}
    outputs = [one.name for one in found.ports_of(values).outputs]
    seen = set()
    for tick in range(200):
        for name in inputs:
            engine.set_input(name, inputs[name][tick])
        before = engine.snapshot()
        engine.step()
        after, usual = engine.snapshot(), {one: engine.port("b", one) for one in outputs}
        for name in inputs:
            engine.restore(before)
            engine.set_input(name, inputs[name][(tick + 137) % TICKS])
            engine.step()
            seen |= {(name, one) for one in outputs
                     if not np.array_equal(engine.port("b", one), usual[one])}  # fmt: skip
        engine.restore(after)
    assert seen == {pair for pair in found.direct_of(values) if pair[0] in inputs}
