"""The shipped laws of force control against eqs. (6), (8), (11) to (13), by other means."""

import numpy as np
import pytest
from scipy import integrate

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.diagram.check.diagram import load
from hil.diagram.run.engine import Engine

FILE = configs_dir() / "diagrams" / "force_joint.toml"
WRIST = FILE.with_name("force_wrist.toml")
STALL_NM, IDLE_RAD_S, KP, KI, RESET_S = 200.0, 1.047, 0.2, 0.1, 5.0


def voltages(drawn, base_s):
    """Eq. (8) with whole arrays: the moment about each joint's axis, then PI on its error."""
    f, mu, R, r, tau_c, omega = drawn
    wanted = torques(f, mu, R, r)
    error = wanted - tau_c
    total = integrals(error, base_s)
    return omega / IDLE_RAD_S + (wanted + KP * error + KI * total) / STALL_NM


def torques(f, mu, R, r):
    """Eq. (6): the moment about each joint's axis."""
    force = np.einsum("knij,ki->knj", R, f)  # Rᵀ f, in joint axes
    moment = np.einsum("knij,ki->knj", R, mu)
    return np.cross(r, force)[..., 2] + moment[..., 2]


def integrals(error, base_s):
    """By the trapezoid rule, from 0 every 5 s."""
    total = np.zeros_like(error)
    reset = round(RESET_S / base_s)
    for start in range(0, len(error), reset):
        piece = slice(start, start + reset)
        total[piece] = integrate.cumulative_trapezoid(error[piece], dx=base_s, axis=0, initial=0.0)
    return total


def drawn_inputs(ticks, joints, seed):
    rng = np.random.default_rng(seed)
    turns = np.linalg.qr(rng.normal(size=(ticks, joints, 3, 3)))[0]
    return (
        rng.normal(0.0, 20.0, (ticks, 3)), rng.normal(0.0, 5.0, (ticks, 3)), turns,
        rng.normal(0.0, 0.5, (ticks, joints, 3)), rng.normal(0.0, 10.0, (ticks, joints)),
        rng.normal(0.0, 0.5, (ticks, joints)),
    )  # fmt: skip


@pytest.mark.parametrize("joints", [6, 7])
@pytest.mark.parametrize("base_s", [0.001, 0.002, 0.01])
def test_the_joint_law_is_equation_8_over_twenty_seconds(base_s, joints, tmp_path):
    text = FILE.read_text().replace("base_s = 0.002", f"base_s = {base_s}")
    path = tmp_path / "law.toml"
    path.write_text(text)
    engine = Engine(load(path, {("", "joints"): joints}))
    ticks = round(20.0 / base_s)
    drawn = drawn_inputs(ticks, joints, 8)
    names = ("f_d", "mu_d", "rotation", "position", "tau_c", "omega")
    found, zeros = np.empty((ticks, joints)), []
    for tick in range(ticks):
        for name, values in zip(names, drawn, strict=True):
            engine.set_input(name, values[tick])
        engine.step()
        found[tick] = engine.output("U")
        if not engine.port("integral").any():
            zeros.append(tick)
    np.testing.assert_allclose(found, voltages(drawn, base_s), rtol=1e-12, atol=1e-12)
    assert [round(tick * base_s, 9) for tick in zeros] == [0.0, 5.0, 10.0, 15.0]


def test_the_law_refuses_a_proportional_gain_that_would_swing():
    with pytest.raises(ConfigError, match=r"kp = 1\.2: 0\.0 to 0\.99"):
        load(FILE, {("", "kp"): 1.2})


def test_the_shipped_law_is_canonical_text():
    from hil.diagram.file.read import read
    from hil.diagram.file.write import text_of

    for path in FILE.parent.glob("*.toml"):
        assert text_of(read(path)) == path.read_text()


def definite(rng, scale):
    """A symmetric positive definite matrix."""
    part = rng.normal(0.0, 1.0, (3, 3))
    whole = part @ part.T + 0.2 * np.eye(3)
    return scale * (whole + whole.T) / np.abs(whole).max() / 2.0


@pytest.mark.parametrize("base_s", [0.001, 0.002, 0.01])
def test_the_wrist_law_is_equations_11_to_13_over_twenty_seconds(base_s, tmp_path):
    path = tmp_path / "law.toml"
    path.write_text(WRIST.read_text().replace("base_s = 0.002", f"base_s = {base_s}"))
    rng = np.random.default_rng(13)
    gains = {name: definite(rng, 0.5) for name in ("f_kp", "f_ki", "mu_kp", "mu_ki")}
    changes = {("", name): tuple(map(tuple, one.tolist())) for name, one in gains.items()}
    engine = Engine(load(path, changes))
    ticks = round(20.0 / base_s)
    f_d, mu_d, R, r, _, omega = drawn_inputs(ticks, 7, 11)
    f_c, mu_c = rng.normal(0.0, 20.0, (ticks, 3)), rng.normal(0.0, 5.0, (ticks, 3))
    names = ("f_d", "f_c", "mu_d", "mu_c", "rotation", "position", "omega")
    found = np.empty((ticks, 7))
    for tick, values in enumerate(zip(f_d, f_c, mu_d, mu_c, R, r, omega, strict=True)):
        for name, one in zip(names, values, strict=True):
            engine.set_input(name, one)
        engine.step()
        found[tick] = engine.output("U")
    f = f_d + (f_d - f_c) @ gains["f_kp"].T + integrals(f_d - f_c, base_s) @ gains["f_ki"].T
    mu = mu_d + (mu_d - mu_c) @ gains["mu_kp"].T + integrals(mu_d - mu_c, base_s) @ gains["mu_ki"].T
    wanted = omega / IDLE_RAD_S + torques(f, mu, R, r) / STALL_NM
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "k", "words"),
    [
        ("f_kp", ((0.2, 0.1, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.2)), "not symmetric and positive"),
        (
            "mu_ki",
            ((0.2, 0.3, 0.0), (0.3, 0.2, 0.0), (0.0, 0.0, 0.2)),
            "not symmetric and positive",
        ),
        ("f_kp", ((1.2, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.2)), r"1\.2: -0\.99 to 0\.99"),
        ("f_kp", ((0.2, 0.0), (0.0, 0.2)), "a vector of 3 into a vector of 2"),
    ],
)
def test_gains_of_the_wrist_law_are_positive_definite_or_refused(name, k, words):
    with pytest.raises(ConfigError, match=words):
        load(WRIST, {("", name): k})


def test_definite_matrices_are_those_with_eigenvalues_above_zero():
    from hil.diagram.library.vectors import is_definite

    rng = np.random.default_rng(4)
    for _ in range(500):
        part = rng.normal(size=(3, 3))
        whole = (part + part.T) / 2.0 + rng.uniform(0.0, 2.0) * np.eye(3)
        wanted = bool(np.linalg.eigvalsh(whole).min() > 0.0)
        assert is_definite(tuple(map(tuple, whole.tolist()))) == wanted
    assert not is_definite(((1.0, 0.5), (0.4, 1.0)))
    assert not is_definite(((1.0, 0.0),))
