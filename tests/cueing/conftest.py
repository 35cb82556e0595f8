"""The recorded drive that parameters are tuned to."""

from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="session")
def car_drive():
    """Forward and right specific force of the drive through Dresden, a row each 20 ms; no rates."""
    path = Path(__file__).resolve().parents[3] / "shared" / "data" / "car_dresden_city.csv"
    if not path.is_file():
        pytest.skip(f"no recorded data: {path} is not there")
    table = np.genfromtxt(path, delimiter=",", names=True)
    t_s = np.arange(table["t_s"][0], table["t_s"][-1], 0.02)
    force = np.tile([0.0, 0.0, -9.80665], (len(t_s), 1))
    for axis, (name, sign) in enumerate((("f_x_m_s2", -1.0), ("f_y_m_s2", 1.0))):
        about = table[name] - table[name].mean()
        force[:, axis] = np.interp(t_s, table["t_s"], sign * about)
    return force, np.zeros_like(force)
