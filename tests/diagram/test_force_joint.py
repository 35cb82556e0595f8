"""The shipped joint law against eqs. (6) and (8), evaluated by other means."""

import numpy as np
import pytest
from scipy import integrate

from hil.config.errors import ConfigError
from hil.config.shipped import configs_dir
from hil.diagram.check import load
from hil.diagram.engine import Engine

FILE = configs_dir() / "diagrams" / "force_joint.toml"
STALL_NM, IDLE_RAD_S, KP, KI, RESET_S = 200.0, 1.047, 0.2, 0.1, 5.0


def voltages(drawn, base_s):
    """Eq. (8) with whole arrays: the moment about each joint's axis, then PI on its error."""
    f, mu, R, r, tau_c, omega = drawn
    force = np.einsum("knij,ki->knj", R, f)  # Rᵀ f, in joint axes
    moment = np.einsum("knij,ki->knj", R, mu)
    wanted = np.cross(r, force)[..., 2] + moment[..., 2]
    error = wanted - tau_c
    total = np.zeros_like(error)
    reset = round(RESET_S / base_s)
    for start in range(0, len(error), reset):
        piece = slice(start, start + reset)
        total[piece] = integrate.cumulative_trapezoid(error[piece], dx=base_s, axis=0, initial=0.0)
    return omega / IDLE_RAD_S + (wanted + KP * error + KI * total) / STALL_NM


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
    from hil.diagram.read import read
    from hil.diagram.write import text_of

    for path in FILE.parent.glob("*.toml"):
        assert text_of(read(path)) == path.read_text()
