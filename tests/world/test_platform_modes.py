"""The check of six servos against a coupled body, judged by eigenvalues and by the engine."""

import numpy as np
import pytest
from plant_rigs import FREE, HEIGHT_M, heave_mass_kg, paper_plant, weight_forces_n

from sim.world.plants.modes import MassRange, UnstableModeError, platform_modes, require_stable

STEP_S = 1e-3
GOOD = (20.0, 60e3, 0.06)
SOFT = (30.0, 20e3, 0.03)


def inertia_by_payload(height_m=0.0):
    seen = paper_plant(100.0, (0.0, 0.0, height_m)).inertia()
    return seen.J, seen.with_load


def any_machine(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 6)) * 10.0 ** rng.uniform(0.5, 1.8)
    return rng.normal(size=(6, 6)), root @ root.T + np.eye(6)


def growth(J, H, k_p, k_v, t_i_s):
    """Greatest real part of the closed loop's 18 eigenvalues."""
    zero, one, six = np.zeros((6, 6)), np.eye(6), J @ np.linalg.solve(H, J.T) * k_v
    whole = np.block([
        [zero, one, zero],
        [-six * (k_p + 1.0 / t_i_s), -six, -six * k_p / t_i_s],
        [one, zero, zero],
    ])  # fmt: skip
    return float(np.linalg.eigvals(whole).real.max())


def sampled_radius(J, H, k_p, k_v, t_i_s):
    """Greatest modulus of the eigenvalues of one step: x, v, and the integral of the force."""
    six = J @ np.linalg.solve(H, J.T) * STEP_S
    columns = []
    for column in np.eye(18):
        x, v, i = column.reshape(3, 6)
        error = -k_p * x - v
        i = i + k_v / t_i_s * STEP_S * error
        v = v + six @ (k_v * error + i)
        columns.append(np.concatenate([x + v * STEP_S, v, i]))
    return float(np.abs(np.linalg.eigvals(np.array(columns).T)).max())


@pytest.mark.parametrize("seed", range(40))
def test_modes_above_the_bound_grow_and_others_do_not(seed):
    J, H = any_machine(seed)
    rng = np.random.default_rng(seed + 1000)
    k_p, k_v, t_i_s = rng.uniform(5, 40), 10 ** rng.uniform(3, 5), rng.uniform(0.01, 0.2)
    greatest = MassRange.of(k_p, k_v, t_i_s, STEP_S).greatest_kg
    heaviest = platform_modes(J, H)[0].mass_kg
    for share in (0.98, 1.02):
        scaled = H * (share * greatest / heaviest)
        assert (growth(J, scaled, k_p, k_v, t_i_s) > 0.0) is (share > 1.0)


@pytest.mark.parametrize("seed", range(20))
def test_modes_below_the_least_mass_are_answered_too_fast(seed):
    J, H = any_machine(seed)
    least = MassRange.of(*GOOD, STEP_S).least_kg
    lightest = platform_modes(J, H)[-1].mass_kg
    for share in (0.99, 1.01):
        scaled = H * (share * least / lightest)
        heaviest = platform_modes(J, scaled)[0].mass_kg
        if heaviest < 6000.0:
            assert (sampled_radius(J, scaled, *GOOD) > 1.0) is (share < 1.0)


def test_heave_is_the_mode_of_its_closed_form():
    J, H_of = inertia_by_payload()
    found = {mode.axis: mode.mass_kg for mode in platform_modes(J, H_of(300.0))}
    assert set(found) == {"surge", "sway", "heave", "roll", "pitch", "yaw"}
    assert found["heave"] == pytest.approx(heave_mass_kg(300.0), rel=1e-9)
    assert found["surge"] > 3.0 * found["yaw"] > 9.0 * found["heave"]


@pytest.mark.parametrize("payload_kg", [100.0, 300.0, 600.0])
def test_the_gains_hold_a_payload(payload_kg):
    J, H_of = inertia_by_payload()
    modes = require_stable(J, H_of, payload_kg, MassRange.of(*GOOD, STEP_S))
    assert [mode.mass_kg for mode in modes] == sorted((m.mass_kg for m in modes), reverse=True)
    assert sampled_radius(J, H_of(payload_kg), *GOOD) < 1.0


def test_a_heavy_payload_is_refused_with_the_largest_that_holds():
    J, H_of = inertia_by_payload()
    masses = MassRange.of(*GOOD, STEP_S)
    with pytest.raises(
        UnstableModeError, match=r"payload of 1800 kg: s\w+ has a modal mass"
    ) as caught:
        require_stable(J, H_of, 1800.0, masses)
    largest_kg = caught.value.largest_kg
    assert caught.value.mode.axis in ("surge", "sway")
    assert 1000.0 < largest_kg < 1200.0
    require_stable(J, H_of, largest_kg, masses)
    assert (
        growth(J, H_of(largest_kg * 0.999), *GOOD)
        < 0.0
        < growth(J, H_of(largest_kg * 1.001), *GOOD)
    )
    with pytest.raises(UnstableModeError, match="no payload holds"):
        require_stable(J, H_of, 300.0, MassRange.of(20.0, 1e3, 0.06, STEP_S))
    with pytest.raises(UnstableModeError, match="heave has a modal mass of 30 kg"):
        require_stable(J, H_of, 5.0, masses)


@pytest.mark.parametrize(("gains", "grows"), [(GOOD, False), (SOFT, True)])
def test_the_engine_does_as_the_check_says(gains, grows):
    """300 kg, kicked in surge: swings of its height-keeping rods after 1.5 s against 0.3 s."""
    k_p, k_v, t_i_s = gains
    J, H_of = inertia_by_payload()
    assert (
        MassRange.of(k_p, k_v, t_i_s, STEP_S).holds(platform_modes(J, H_of(300.0))[0].mass_kg)
        is not grows
    )
    plant = paper_plant(300.0)
    held = np.array(plant.extensions_m())
    force = np.full(6, weight_forces_n(300.0))
    kick = J[:, 0] / np.abs(J[:, 0]).max() * 1e-4
    swings = []
    for step in range(1500):
        error = k_p * (held - kick * (step < 50) - plant.extensions_m()) - plant.speeds_m_s()
        force += k_v / t_i_s * STEP_S * error
        plant.advance((force + k_v * error).tolist(), FREE, STEP_S)
        swings.append(float(np.abs(plant.extensions_m() - held).max()))
    assert (max(swings[-300:]) > 1.5 * max(swings[250:550])) is grows
    assert plant.world.robots[0].pose(1)[2, 3] == pytest.approx(HEIGHT_M, abs=5e-3)
