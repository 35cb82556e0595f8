"""Models and short cuts shared by the tests of the simulated bank. No two legs are alike."""

import dataclasses

import numpy as np

from drives.bank import BankFeedback, DriveGoal, DriveState, LegCommand
from drives.sim.bank import SimulatedBank
from drives.sim.cylinder_model import CylinderModel

PERIOD_S = 0.002
ENABLE_CYCLES = 3
CLOSED_M = np.array([0.60, 0.61, 0.62, 0.63, 0.64, 0.65])
OPEN_M = CLOSED_M + np.array([0.70, 0.72, 0.74, 0.76, 0.78, 0.80])
REFERENCE_M = CLOSED_M + 0.03
STILL = (0.0,) * 6

MODEL = CylinderModel(
    natural_frequency_hz=20.0,
    damping=0.8,
    speed_max_m_s=np.linspace(0.50, 0.60, 6),
    acceleration_max_m_s2=np.linspace(6.0, 8.0, 6),
    force_max_n=np.full(6, 4000.0),
    moving_mass_kg=np.linspace(50.0, 60.0, 6),
    static_load_n=np.linspace(400.0, 650.0, 6),
    closed_length_m=CLOSED_M,
    open_length_m=OPEN_M,
    reference_length_m=REFERENCE_M,
    homing_speed_m_s=0.02,
    enable_cycles=ENABLE_CYCLES,
)


def model(**changes) -> CylinderModel:
    return dataclasses.replace(MODEL, **changes)


def bank_of(faults=(), cylinders=MODEL, **options) -> SimulatedBank:
    return SimulatedBank(cylinders, PERIOD_S, tuple(faults), **options)


def configured(faults=(), cylinders=MODEL, **options) -> SimulatedBank:
    bank = bank_of(faults, cylinders, **options)
    bank.configure()
    return bank


def cycles(bank, count, command=None) -> BankFeedback:
    feedback = bank.exchange(command)
    for _ in range(count - 1):
        feedback = bank.exchange(command)
    return feedback


def until(bank, condition, command=None, at_most=2000) -> BankFeedback:
    for _ in range(at_most):
        feedback = bank.exchange(command)
        if condition(feedback):
            return feedback
    raise AssertionError(f"not reached in {at_most} cycles; last {feedback}")


def homed(bank) -> SimulatedBank:
    bank.request(DriveGoal.HOMED)
    until(bank, lambda f: all(f.homed))
    return bank


def enabled(bank) -> SimulatedBank:
    homed(bank)
    bank.request(DriveGoal.ENABLED)
    until(bank, lambda f: f.state == (DriveState.ENABLED,) * 6)
    return bank


def ready(faults=(), cylinders=MODEL, **options) -> SimulatedBank:
    return enabled(configured(faults, cylinders, **options))


def command(length_m, speed_m_s=STILL) -> LegCommand:
    return LegCommand(tuple(float(x) for x in length_m), tuple(float(x) for x in speed_m_s))


def at_reference(step_m=0.0) -> LegCommand:
    return command(REFERENCE_M + step_m)
