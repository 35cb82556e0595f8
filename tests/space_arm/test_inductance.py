"""Motors with inductance: closed forms, a second simulation of the whole arm, limits, energy."""

import math
from dataclasses import replace

import numpy as np
import pytest
import trace_form
from arms import mujoco_model, shipped
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from sim.world.space_arm.arm import Arm, SpaceArmError
from sim.world.space_arm.drive import DriveEffects, DriveModel, JointDrive, drive_table
from sim.world.space_arm.integrators import Accuracy, Sdirk2, Sdirk4, SpanStatus
from sim.world.space_arm.integrators_1993 import Rk4
from sim.world.space_arm.kernels.sdirk2 import STATE_ROWS, Q, T, V, W
from sim.world.space_arm.simulator import SpaceArm, levers_m

# one worker: RK4 is compiled once
pytestmark = pytest.mark.xdist_group("classic integrators")

SETTINGS = shipped("bkm")
ARM = SETTINGS.arm()
PAYLOADS = SETTINGS.payloads()
TICK_S = 0.35


def with_inductance(arm: Arm, factor: float) -> Arm:
    """The arm with all inductances multiplied."""
    drives = (replace(d, inductance_h=factor * (d.inductance_h or 0.0)) for d in arm.drives)
    return replace(arm, drives=tuple(drives))


class Motors:
    """Numbers of all motors as the book has them, on the joint's side."""

    def __init__(self, arm: Arm) -> None:
        def column(name: str) -> np.ndarray:
            return np.array([getattr(drive, name) for drive in arm.drives])

        self.ratio = column("gear_ratio")
        self.per_ampere = self.ratio * column("torque_constant_nm_a")
        self.emf = self.ratio * column("back_emf_v_s")
        self.gain = self.ratio * column("speed_gain_v_s")
        self.resistance = column("resistance_ohm")
        self.inductance = column("inductance_h")
        self.rotor = self.ratio**2 * column("motor_inertia_kg_m2")
        self.drag = column("drag_nm_s")
        self.volts = column("voltage_max_v")
        self.amperes = column("current_max_a")


MOTORS = Motors(ARM)
SHORT = replace(Accuracy.fine(), tolerance_m=1e-16, step_max_s=2e-5)
INTEGRATORS = {
    "sdirk2": lambda: Sdirk2(levers_m(ARM), Accuracy.fixed(2e-6)),
    "sdirk4": lambda: Sdirk4(levers_m(ARM), SHORT),
    "rk4": lambda: Rk4(2e-5),
}


def at_home() -> np.ndarray:
    state = np.zeros((STATE_ROWS, len(ARM.links)))
    state[Q] = SETTINGS.home_rad()
    return state


@pytest.mark.parametrize("name", INTEGRATORS)
def test_small_steps_of_all_commands_are_those_of_the_linear_system(name):
    """dv/dt = M^-1 (Kt N i - B v), L di/dt = Ks N (c - v) - R i - Ke N v, by its matrix."""
    n, m = len(ARM.links), MOTORS
    table = drive_table(ARM.drives, DriveEffects(inductance=True))
    command = 1e-5 * np.array([1.0, -0.7, 0.5, 1.3, -1.1, 0.9])
    whole = trace_form.mass_matrix(ARM, SETTINGS.home_rad()) + np.diag(m.rotor)
    system = np.zeros((3 * n + 1, 3 * n + 1))  # angles, rates, currents, 1
    angles, rates, currents = (slice(k * n, (k + 1) * n) for k in range(3))
    system[angles, rates] = np.eye(n)
    system[rates, rates] = np.linalg.solve(whole, -np.diag(m.drag))
    system[rates, currents] = np.linalg.solve(whole, np.diag(m.per_ampere))
    system[currents, rates] = -np.diag((m.gain + m.emf) / m.inductance)
    system[currents, currents] = -np.diag(m.resistance / m.inductance)
    system[currents, -1] = m.gain * command / m.inductance
    state, start = at_home(), np.zeros(3 * n + 1)
    start[-1] = 1.0
    integrator = INTEGRATORS[name]()
    for k in range(1, 6):
        span = integrator.pass_time(ARM.arrays(), table, state, command, np.zeros(n), 2e-3)
        assert span.status is SpanStatus.DONE
        wanted = expm(system * 2e-3 * k) @ start
        found = [state[Q] - SETTINGS.home_rad(), state[V], state[T] / m.per_ampere]
        for part, expected in zip((angles, rates, currents), found, strict=True):
            close = 1e-6 * np.abs(wanted[part]).max()
            assert np.abs(wanted[part] - expected).max() < close, (k, part)


@pytest.mark.parametrize("name", INTEGRATORS)
def test_the_current_of_a_locked_motor_rises_to_its_limit_and_stays(name):
    m, command = MOTORS, np.array([0.05, -0.05, 0.05, -0.05, 0.05, -0.05])
    table = drive_table(ARM.drives, DriveModel.F.effects)
    state, integrator = at_home(), INTEGRATORS[name]()
    met_s = -m.inductance / m.resistance * np.log1p(-m.amperes * m.resistance / m.volts)
    assert (met_s > 2e-4).all()
    assert (met_s < 1.8e-3).all()
    for k in range(1, 10):
        integrator.pass_time(ARM.arrays(), table, state, command, np.full(len(command), 1e12), 2e-4)
        rising = m.volts / m.resistance * -np.expm1(-m.resistance / m.inductance * 2e-4 * k)
        wanted = np.sign(command) * np.where(2e-4 * k < met_s, rising, m.amperes)
        assert state[T] / m.per_ampere == pytest.approx(wanted, rel=1e-6), k
        assert np.abs(state[W]).max() < 1e-9


class SecondArm:
    """The whole arm written anew: MuJoCo's dynamics, Radau's method from event to event.

    A current that is held at its limit has no equation until the loop would let it fall.
    """

    def __init__(self, arm: Arm) -> None:
        self.mujoco = pytest.importorskip("mujoco", reason="mujoco is a test extra")
        self.model, self.data = mujoco_model(arm)
        self.motors, self.joints = Motors(arm), len(arm.links)
        self.held, self.command = np.zeros(self.joints), np.zeros(self.joints)

    def voltage_left(self, y: np.ndarray) -> np.ndarray:
        """Voltage of the loop that is left for the inductances [V]."""
        m, (_, v, i) = self.motors, y.reshape(3, -1)
        loop = np.clip(m.gain * (self.command - v), -m.volts, m.volts)
        return loop - m.resistance * i - m.emf * v

    def slope(self, _: float, y: np.ndarray) -> np.ndarray:
        m, (q, v, i) = self.motors, y.reshape(3, -1)
        self.data.qpos[:], self.data.qvel[:] = q, v
        self.mujoco.mj_forward(self.model, self.data)
        mass, bias = np.zeros((self.joints, self.joints)), self.data.qfrc_bias
        self.mujoco.mj_fullM(self.model, self.data, mass)
        mass += np.diag(m.rotor)
        current = np.where(self.held == 0.0, self.voltage_left(y) / m.inductance, 0.0)
        faster = np.linalg.solve(mass, m.per_ampere * i - m.drag * v - bias)
        return np.concatenate([v, faster, current])

    def event(self, j: int):
        """Zero where the current of a joint meets its limit, or leaves it."""

        def zero(_: float, y: np.ndarray) -> float:
            if self.held[j]:
                return -self.held[j] * self.voltage_left(y)[j]
            return abs(y.reshape(3, -1)[2, j]) - self.motors.amperes[j]

        zero.terminal, zero.direction = True, 1.0
        return zero

    def advance(self, y: np.ndarray, command: np.ndarray, span_s: float) -> np.ndarray:
        t, m = 0.0, self.motors
        self.command = command
        current = y.reshape(3, -1)[2]
        outward = np.sign(current) * self.voltage_left(y) > 0.0
        self.held = np.where((np.abs(current) >= m.amperes) & outward, np.sign(current), 0.0)
        events = [self.event(j) for j in range(self.joints)]
        atol = np.repeat([1e-11, 1e-11, 1e-8], self.joints)
        while t < span_s:
            part = solve_ivp(
                self.slope, (t, span_s), y, method="Radau", rtol=1e-8, atol=atol, events=events
            )
            assert part.success
            t, y = part.t[-1], part.y[:, -1].copy()
            for j, times in enumerate(part.t_events):
                if len(times) and self.held[j]:
                    self.held[j] = 0.0
                elif len(times):
                    self.held[j] = np.sign(y.reshape(3, -1)[2, j])
                    y.reshape(3, -1)[2, j] = self.held[j] * m.amperes[j]
        return y


@pytest.mark.parametrize("load", [None, *PAYLOADS])
def test_the_whole_arm_moves_as_a_second_simulation_of_it(load):
    """Every joint meets its limits of voltage and current, and leaves them again."""
    payload = None if load is None else PAYLOADS[load]
    second = SecondArm(ARM if payload is None else ARM.with_payload(payload))
    fine, usual = (
        SpaceArm(ARM, DriveModel.F, SETTINGS.home_rad(), payload=payload, integrator=one)
        for one in (Sdirk4(levers_m(ARM)), None)
    )
    y, met = np.concatenate([SETTINGS.home_rad(), np.zeros(12)]), np.zeros(6, dtype=bool)
    for k in range(2):
        command = 0.02 * np.cos(np.arange(6) + 1.7 * k)
        y = second.advance(y, command, TICK_S)
        snapshot, rough = fine.advance(command), usual.advance(command)
        q, v, i = y.reshape(3, -1)
        assert np.abs(snapshot.q_rad - q).max() < 2e-7
        assert np.abs(rough.q_rad - q).max() < 5e-6
        assert np.abs(snapshot.v_rad_s - v).max() < 2e-7
        assert np.abs(snapshot.current_a - i).max() < 2e-4
        met |= second.held != 0.0
    if load == "heavy":
        assert met.any(), "some currents are at their limits at the end of a tick"


def test_without_inductance_it_is_model_b_and_the_way_there_is_linear():
    """In the linear region, half the inductance is half the difference."""
    command = 1e-4 * np.array([1.0, -0.7, 0.5, 1.3, -1.1, 0.9])

    def rates(arm: Arm, model: DriveModel) -> np.ndarray:
        space = SpaceArm(
            arm, model, SETTINGS.home_rad(), payload=PAYLOADS["heavy"],
            integrator=Sdirk4(levers_m(arm), SHORT),
        )  # fmt: skip
        return space.advance(command, 0.02).v_rad_s

    plain = rates(ARM, DriveModel.B)
    off = [
        np.abs(rates(with_inductance(ARM, factor), DriveModel.F) - plain).max()
        for factor in (1e-1, 5e-2, 2.5e-2)
    ]
    assert off[0] > 1e-9
    assert off[0] / off[1] == pytest.approx(2.0, abs=0.1)
    assert off[1] / off[2] == pytest.approx(2.0, abs=0.05)
    assert np.abs(rates(with_inductance(ARM, 1e-9), DriveModel.F) - plain).max() < 1e-12


def test_electrical_work_is_heat_motion_and_field():
    """Of voltages and currents as they are told; the energy of motion is the trace form's."""
    space = SpaceArm(
        ARM, DriveModel.F, SETTINGS.home_rad(), payload=PAYLOADS["light"],
        integrator=Sdirk4(levers_m(ARM)),
    )  # fmt: skip
    command, m = 2e-4 * np.array([1.0, -0.7, 0.5, 1.3, -1.1, 0.9]), MOTORS
    sample_s, rows = 2e-5, []
    for _ in range(1000):
        now = space.advance(command, sample_s)
        heat = m.resistance @ now.current_a**2 + m.drag @ now.v_rad_s**2
        rows.append((now.voltage_v @ now.current_a, heat))
        assert (np.abs(now.current_a) < m.amperes).all()
    mass = trace_form.mass_matrix(space.arm, now.q_rad) + np.diag(m.rotor)
    kinetic = 0.5 * now.v_rad_s @ mass @ now.v_rad_s
    field = 0.5 * m.inductance @ now.current_a**2
    work, heat = np.trapezoid(np.vstack([(0.0, 0.0), rows]), dx=sample_s, axis=0)
    assert min(kinetic, heat) > 1e-3 * work
    assert work == pytest.approx(heat + kinetic + field, rel=1e-4)


def test_voltage_is_the_loops_until_the_current_is_at_its_limit():
    space = SpaceArm(ARM, DriveModel.F, SETTINGS.home_rad(), payload=PAYLOADS["heavy"])
    command, m = np.full(6, 0.01), MOTORS
    seen = set()
    for _ in range(40):
        now = space.advance(command, 5e-4)
        loop = np.clip(m.gain * (command - now.motor_rate_rad_s), -m.volts, m.volts)
        emf = m.emf * now.motor_rate_rad_s
        held = np.abs(now.current_a) >= m.amperes * (1.0 - 1e-12)
        wanted = np.where(held, m.resistance * now.current_a + emf, loop)
        assert now.voltage_v == pytest.approx(wanted, abs=1e-9)
        assert (np.abs(now.current_a) <= m.amperes * (1.0 + 1e-12)).all()
        seen |= set(held.tolist())
    assert seen == {False, True}


@pytest.mark.parametrize("value", [0.0, -1e-3, math.nan, math.inf])
def test_an_inductance_that_cannot_be_is_refused(value):
    with pytest.raises(ValueError, match=r"inductance_h = .*: a finite number above 0 is needed"):
        replace(ARM.drives[0], inductance_h=value)


def test_inductance_that_is_not_given_is_missed_by_name():
    drives: list[JointDrive] = list(ARM.drives)
    drives[4] = replace(drives[4], inductance_h=None)
    arm = replace(ARM, drives=tuple(drives))
    assert arm.models() == tuple(DriveModel)[:-1]
    with pytest.raises(SpaceArmError, match=r"arm bkm: inductance_h is not given .*of wrist_yaw$"):
        SpaceArm(arm, DriveModel.F, SETTINGS.home_rad())
    with pytest.raises(ValueError, match="inductance_h is not given"):
        drive_table(drives, DriveModel.F.effects)
    assert SpaceArm(arm, DriveModel.E, SETTINGS.home_rad()).advance(np.zeros(6)).status
