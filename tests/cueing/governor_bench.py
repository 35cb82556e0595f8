"""A governor before a real gate with ideal drives, judged by the envelope and by that gate.

The judges are the public ones: `platform6dof.Envelope.check` of the set-point that the station
would make of the rows, `safety.Gate` with the rig's own limits, the rig's box of poses.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from cueing_samples import classical_set

from hil.config.file_search import configs_dir
from hil.machines.rig.governor import governor_of
from hil.machines.rig.machine import gate_limits, geometry_of, load_rig
from hil_common.arrays.pose import Pose
from platform6dof.cueing.classical import Classical
from platform6dof.cueing.governor import Governor
from platform6dof.cueing.parameters import Tilt
from platform6dof.envelope import Envelope
from platform6dof.forward import forward
from platform6dof.inverse import leg_setpoint
from platform6dof.pose import PlatformSetpoint
from platform6dof.workspace import PoseBox
from safety.gate import Gate, GateInputs
from safety.modes import DriveRequest, Mode, Request
from safety.verdict import Action, Feedback, Setpoint

SIX = (True,) * 6
ZERO = (0.0,) * 6
RIGS = {
    name: load_rig(configs_dir() / "rigs" / f"{name}.toml")
    for name in ("paper", "training_simulator")
}
NEUTRAL = {name: rig.neutral.coordinates() for name, rig in RIGS.items()}
WIDE = np.array([0.8, 0.8, 0.8, 1.0, 1.0, 1.0])
"""Half of a box that leaves everything to the envelope."""


def governor(name, period_s=0.002, box=None, **limits):
    """The governor of a shipped rig, or one with another box or other limits of its envelope."""
    made = governor_of(RIGS[name], period_s)
    if box is None and not limits:
        return made
    tables = made.tables
    envelope = replace(tables.envelope, **limits)
    return Governor(tables.geometry, envelope, box or tables.box, tables.stop, period_s)


def wide_box(name):
    return PoseBox(NEUTRAL[name] - WIDE, NEUTRAL[name] + WIDE)


class GateRun:
    """The gate of a rig in front of drives that do at once what they are told."""

    def __init__(self, name, period_s, start_m, limits=None):
        self.gate = Gate(limits or gate_limits(RIGS[name], period_s, wired=False))
        self.period_s = period_s
        self.lengths, self.before = start_m, start_m
        self.index, self.drives = 0, DriveRequest.OFF
        for request, mode in (
            (Request.CONFIGURED, Mode.IDLE), (Request.HOME, Mode.HOMING), (None, Mode.STANDBY),
            (Request.ENGAGE, Mode.ENGAGING), (Request.RISEN, Mode.ENGAGED),
        ):  # fmt: skip
            for _ in range(2000):
                # Risen is asked with the first set-point, as control does.
                asked = self.lengths if request is Request.RISEN else None
                if self.cycle(asked, ZERO, request).mode is mode:
                    break
            assert self.gate.mode is mode, self.gate.mode

    def cycle(self, lengths=None, speeds=ZERO, request=None):
        """One cycle with an asked set-point, or none; the verdict."""
        asked = None if lengths is None else Setpoint(self.index, lengths, speeds)
        on = self.drives is DriveRequest.ENABLE
        speed = tuple(
            (a - b) / self.period_s for a, b in zip(self.lengths, self.before, strict=True)
        )
        feedback = Feedback(self.lengths, speed, (on,) * 6, SIX, (0,) * 6, SIX)
        verdict = self.gate.step(
            GateInputs(
                self.index, self.period_s, 0.0, asked, 0.0, feedback,
                () if request is None else (request,), act_age_s=0.0,
            )
        )  # fmt: skip
        self.index += 1
        self.drives = verdict.drives
        self.before = self.lengths
        if verdict.allowed is not None:
            self.lengths = verdict.allowed.length_m
        return verdict


@dataclass
class Found:
    """What the judges saw of a ride."""

    rows: list = field(default_factory=list)
    active: int = 0
    failed: int = 0
    wrong: list = field(default_factory=list)
    """Cycle, judge and what it says."""
    bindings: set = field(default_factory=set)
    least_margin: float = np.inf
    stops: int = 0


class Ride:
    """Rows through a governor into the judges."""

    def __init__(self, name, period_s=0.002, guard=None):
        self.name, self.period_s = name, period_s
        self.guard = governor(name, period_s) if guard is None else guard
        tables = self.guard.tables
        self.geometry, self.box = tables.geometry, tables.box
        self.envelope = Envelope(tables.geometry, tables.envelope)
        self.found = Found()

    def begin(self, q):
        self.guard.reset(q)
        legs = self._legs(np.stack([q, np.zeros(6), np.zeros(6)]))[1]
        self.gate = GateRun(self.name, self.period_s, tuple(legs.length_m.tolist()))

    def _legs(self, rows):
        setpoint = PlatformSetpoint.from_rows(rows)
        return setpoint, leg_setpoint(self.geometry, setpoint)

    def cycle(self, wanted, request=None):
        """One row to the judges; the verdict of the gate."""
        found = self.found
        out = self.guard.step(wanted)
        found.active += out.active
        found.failed += out.failed
        if out.binding is not None:
            found.bindings.add(out.binding.quantity)
        found.least_margin = min(found.least_margin, out.margin)
        found.rows.append(out.rows)
        setpoint, legs = self._legs(np.array(out.rows))
        self._judge_pose(setpoint, out.rows[0])
        verdict = self.gate.cycle(
            tuple(legs.length_m.tolist()), tuple(legs.speed_m_s.tolist()), request
        )
        if request is None and verdict.action is not Action.PASSED:
            found.wrong.append((len(found.rows), "gate", str(verdict.violations[:1])))
        return verdict

    def _judge_pose(self, setpoint, q):
        here = len(self.found.rows)
        for one in self.envelope.check(setpoint)[:1]:
            self.found.wrong.append((here, "envelope", str(one)))
        if (q < self.box.lower).any() or (q > self.box.upper).any():
            self.found.wrong.append((here, "box", str(q)))

    def stop(self, q):
        """Ask the gate to stop, look at each pose of its ramp, park from there; where it is."""
        pose = Pose.from_coordinates(q)
        # In the cycle of the request the gate stops from its last commanded state.
        verdict = self.gate.cycle(None, ZERO, Request.HOLD)
        cycles = 0
        while verdict.mode is Mode.CSTOP or cycles == 0:
            known = forward(self.geometry, np.array(self.gate.lengths), pose)
            assert known.converged
            pose = known.X_BP
            self._judge_pose(PlatformSetpoint.at_rest(pose), pose.coordinates())
            verdict = self.gate.cycle()
            cycles += 1
            assert cycles < 3000
        assert verdict.mode is Mode.HOLD, verdict
        self.found.stops += 1
        while self.gate.gate.mode is not Mode.PARKING:
            self.gate.cycle(None, ZERO, Request.PARK)
        q = forward(self.geometry, np.array(self.gate.lengths), pose).X_BP.coordinates()
        self.guard.reset(q)
        return q


def ungoverned(name, wanted, period_s=0.002):
    """What the gate does with the wanted rows as they are: its actions, up to the first stop."""
    geometry, actions, gate = geometry_of(RIGS[name]), [], None
    for rows in wanted:
        legs = leg_setpoint(geometry, PlatformSetpoint.from_rows(rows))
        lengths = tuple(legs.length_m.tolist())
        gate = gate or GateRun(name, period_s, lengths)
        actions.append(gate.cycle(lengths, tuple(legs.speed_m_s.tolist())).action)
        if actions[-1] is not Action.PASSED:
            break
    return actions


def ride(name, wanted, q, period_s=0.002, guard=None, stop_at=()):
    """A whole sequence of rows (N, 3, 6) from rest at q; what the judges found."""
    made = Ride(name, period_s, guard)
    made.begin(q)
    for k, rows in enumerate(wanted):
        if k in stop_at:
            made.stop(made.found.rows[-1][0] if made.found.rows else q)
        made.cycle(rows)
        if made.found.wrong:
            break
    return made.found


# Sequences of wanted rows.


def multisine(count, period_s, q, amplitude, hertz):
    """A sum of sines, one in each coordinate, that swells within a second."""
    t = np.arange(count) * period_s
    omega = 2.0 * np.pi * np.asarray(hertz)
    s, c = np.sin(np.outer(t, omega)), np.cos(np.outer(t, omega)) * omega
    d = -np.sin(np.outer(t, omega)) * omega**2
    x = np.minimum(1.0, t)[:, None]
    inside = (t < 1.0)[:, None]
    f = x**3 * (10.0 - 15.0 * x + 6.0 * x**2)
    df = inside * 30.0 * (x * (1.0 - x)) ** 2
    ddf = inside * (60.0 * x - 180.0 * x**2 + 120.0 * x**3)
    rows = np.zeros((count, 3, 6))
    rows[:, 0] = q + amplitude * f * s
    rows[:, 1] = amplitude * (df * s + f * c)
    rows[:, 2] = amplitude * (ddf * s + 2.0 * df * c + f * d)
    return rows


AXES = np.array([1.0, 1.0, 1.0, 0.8, 0.8, 0.8])


def _steps(rng, count, period_s, q, box):
    rows = np.zeros((count, 3, 6))
    hold = int(10.0 ** rng.uniform(0.0, 2.7) * 0.002 / period_s) + 1
    size = 10.0 ** rng.uniform(-2.0, 0.3)
    for k in range(0, count, hold):
        rows[k : k + hold, 0] = q + size * AXES * rng.uniform(-1.0, 1.0, 6)
    return rows


def _corners(rng, count, period_s, q, box):
    """From corner to corner of the box, on it or a little beyond, in smooth strokes or in steps."""
    rows = np.zeros((count, 3, 6))
    hold = int(rng.uniform(0.05, 0.5) / period_s) + 1
    beyond = rng.choice([0.98, 1.0, 1.3])
    middle, half = 0.5 * (box.lower + box.upper), 0.5 * (box.upper - box.lower)
    smooth = rng.random() < 0.5
    last = q
    for k in range(0, count, hold):
        goal = middle + beyond * half * rng.choice([-1.0, 0.0, 1.0], 6, p=[0.45, 0.1, 0.45])
        n = min(hold, count - k)
        x = np.arange(1, n + 1)[:, None] / hold
        f = x**3 * (10.0 - 15.0 * x + 6.0 * x**2) if smooth else np.ones((n, 1))
        rows[k : k + n, 0] = last + f * (goal - last)
        if smooth:
            span = hold * period_s
            rows[k : k + n, 1] = 30.0 * (x * (1.0 - x)) ** 2 * (goal - last) / span
            rows[k : k + n, 2] = (60 * x - 180 * x**2 + 120 * x**3) * (goal - last) / span**2
        last = goal
    return rows


def _chirps(rng, count, period_s, q, box):
    t = np.arange(count)[:, None] * period_s
    first, last = 10.0 ** rng.uniform(-1.0, 1.0, 6), 10.0 ** rng.uniform(0.0, 1.6, 6)
    growth = np.log(last / first) / (count * period_s)
    phase = 2.0 * np.pi * first * np.expm1(growth * t) / growth
    omega = 2.0 * np.pi * first * np.exp(growth * t)
    size = 10.0 ** rng.uniform(-2.5, 0.0) * AXES * rng.uniform(0.2, 1.0, 6)
    rows = np.zeros((count, 3, 6))
    rows[:, 0] = q + size * np.sin(phase)
    rows[:, 1] = size * omega * np.cos(phase)
    rows[:, 2] = size * (growth * omega * np.cos(phase) - omega**2 * np.sin(phase))
    return rows


def _bang_bang(rng, count, period_s, q, box):
    """Accelerations that flip between extremes, integrated."""
    rows = np.zeros((count, 3, 6))
    size = 10.0 ** rng.uniform(-0.3, 1.5) * AXES
    a, x, v = size * rng.choice([-1.0, 1.0], 6), np.array(q), np.zeros(6)
    for k in range(count):
        flip = rng.random(6) < period_s / rng.uniform(0.01, 0.3)
        a = np.where(flip, -a, a)
        x, v = x + period_s * v + 0.5 * period_s**2 * a, v + period_s * a
        back = np.abs(x - q) > 1.5 * AXES
        v = np.where(back, -v, v)
        rows[k] = x, v, a
    return rows


def _noise(rng, count, period_s, q, box):
    """Random rows, each of its own, of any size; not even rates and positions belong together."""
    size = 10.0 ** rng.uniform(-3.0, 2.0)
    rows = size * rng.standard_normal((count, 3, 6))
    rows[:, 0] += q
    if rng.random() < 0.3:
        rows[rng.integers(count), rng.integers(3), rng.integers(6)] = rng.choice([1e30, -1e300])
    return rows


def _inconsistent(rng, count, period_s, q, box):
    """A smooth motion whose rates lie: none, reversed, or of another size."""
    rows = _chirps(rng, count, period_s, q, box)
    rows[:, 1:] *= rng.choice([0.0, -1.0, 3.0])
    return rows


KINDS = (_steps, _corners, _chirps, _bang_bang, _noise, _inconsistent)


def adversarial(seed, count, period_s, q, box):
    """A sequence of wanted rows that wishes the machine ill; the same for the same seed."""
    rng = np.random.default_rng(seed)
    rows = KINDS[seed % len(KINDS)](rng, count, period_s, q, box)
    if rng.random() < 0.25:
        other = KINDS[rng.integers(len(KINDS))](rng, count, period_s, q, box)
        cut = rng.integers(count)
        rows[cut:] = other[cut:]
    if rng.random() < 0.3:  # bursts of what is no number
        for _ in range(rng.integers(1, 5)):
            at = rng.integers(count)
            value = rng.choice([np.nan, np.inf, -np.inf])
            rows[at : at + rng.integers(1, 20), rng.integers(3), rng.integers(6)] = value
    return rows


# Recorded rides.

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
GRAVITY_M_S2 = 9.80665


def columns(name, *wanted):
    """Columns of a recorded file, or a skipped test."""
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"no recorded data: {path} is not there")
    with path.open(encoding="utf-8") as file:
        heads = file.readline().strip().split(",")
    which = [heads.index(one) for one in ("t_s", *wanted)]
    return np.loadtxt(path, delimiter=",", skiprows=1, usecols=which).T


def levelled(force, still):
    """Turn a force (N, 3) so that it is (0, 0, -g) in the mean of its first rows."""
    rest = force[:still].mean(axis=0)
    down = -rest / np.linalg.norm(rest)
    across = np.cross(down, [0.0, 1.0, 0.0])
    x = across / np.linalg.norm(across)
    return np.stack([x, np.cross(down, x), down])


def washed_out(t_s, force, rates, gain, period_s, q):
    """Rows of a platform that lets its rider feel a vehicle: the classical filter about a pose."""
    parameters = classical_set(
        force_gain=1.0, rate_gain=1.0, wn_rad_s=(2.5, 2.5, 2.5), wb_rad_s=0.2, wl_rad_s=5.0,
        force_most_m_s2=50.0, tilt=Tilt(acceleration_rad_s2=np.radians(100.0)),
    )  # fmt: skip
    t = np.arange(t_s[0], t_s[-1], period_s)
    even = [np.column_stack([np.interp(t, t_s, one) for one in x.T]) for x in (force, rates)]
    rest = np.array([0.0, 0.0, -GRAVITY_M_S2])
    rows = Classical(parameters, period_s).ride(rest + gain * (even[0] - rest), gain * even[1])
    rows[:, 0] += q
    return rows


def rocket(q, period_s=0.002, gain=1.0):
    names = [f"raw_acc_{axis}_g" for axis in "xyz"] + [f"raw_{axis}_deg_s" for axis in "pqr"]
    t_s, *six = columns("rocket_jackpot1_flight.csv", *names)
    force = GRAVITY_M_S2 * np.column_stack(six[:3])
    turn = levelled(force, 50)
    return washed_out(
        t_s, force @ turn.T, np.radians(np.column_stack(six[3:])) @ turn.T, gain, period_s, q
    )


def car(q, period_s=0.002, gain=3.0):
    names = ["f_x_m_s2", "f_y_m_s2", "rollrate_deg_s", "pitchrate_deg_s", "yawrate_deg_s"]
    t_s, fx, fy, p, pitch, r = columns("car_dresden_city.csv", *names)
    force = np.column_stack([fx.mean() - fx, fy - fy.mean(), np.full(len(fx), -GRAVITY_M_S2)])
    rates = np.radians(np.column_stack([p - p.mean(), pitch - pitch.mean(), r.mean() - r]))
    return washed_out(t_s, force, rates, gain, period_s, q)


def quake(q, period_s=0.002, gain=1.0):
    names = ["acc_north_m_s2", "acc_east_m_s2", "acc_up_m_s2"]
    t_s, north, east, up = columns("quake_coalinga1983_3axis.csv", *names)
    force = np.column_stack([north, east, -up - GRAVITY_M_S2])
    return washed_out(t_s, force, np.zeros_like(force), gain, period_s, q)
