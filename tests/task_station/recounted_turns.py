"""Force and moment of recorded turns of the valve, computed anew; no judge and no law has a part.

Of a recording it takes the sensors of the wrist and the fingers, whose delay is the drawn period,
and the coordinates of all that moves, of which the engine's kinematics gives the axes.
"""

import tomllib

import numpy as np

from hil.recording.reader import Recording
from hil.stations.world.view.recorded_world import world_text

FIRM_N, SETTLING_S = 15.0, 0.5
FINGERS = 4


def axes(recording: Recording) -> tuple[np.ndarray, np.ndarray]:
    """Axes of the palm, shape (rows, 3, 3), and direction of the wheel's axis, (rows, 3)."""
    import mujoco

    text, _ = world_text(recording.header.scenario)
    model = mujoco.MjModel.from_xml_string(text.text, dict(text.files))
    data = mujoco.MjData(model)
    robot = tomllib.loads(recording.header.scenario["robot"])
    number = next(at for at, one in enumerate(robot["link"]) if one["name"] == "palm")
    palm = next(body for body in range(model.nbody)
                if model.body(body).name.rpartition("/")[2] == f"l{number}")  # fmt: skip
    wheel = model.body("valve_wheel").id
    found = []
    for row in recording.column("world_coordinates"):
        data.qpos[:] = row
        mujoco.mj_kinematics(model, data)
        found.append((data.xmat[palm].copy(), data.xmat[wheel].reshape(3, 3)[:, 0].copy()))
    return np.array([one for one, _ in found]).reshape(-1, 3, 3), np.array(
        [two for _, two in found]
    )


def turn_of(recording: Recording) -> dict[str, np.ndarray]:
    """Wrench along and about the axis, errors, and judged rows, of one turn without noise."""
    drawn = recording.header.scenario["task"]["drawn"]
    lag = int(np.searchsorted(recording.t_s, drawn["period_s"] - 1e-9))
    palm, axis = axes(recording)
    known = slice(0, len(axis) - lag)  # what is felt is of `lag` rows before
    axis = axis[known]

    def felt(name: str) -> np.ndarray:
        return recording.column(name)[lag:]

    found = {}
    for name, sensor in (("force_n", "wrist_force_n"), ("moment_n_m", "wrist_torque_n_m")):
        what, unit = name.split("_", 1)
        applied = np.einsum("nij,nj->ni", palm[known], felt(sensor))
        wanted = recording.column(f"target_{what}_{unit}")[known, None] * axis
        found[f"axis_{name}"] = np.sum(applied * axis, axis=1)
        found[f"{what}_error_{unit}"] = np.sqrt(np.sum((applied - wanted) ** 2, axis=1))
    least_n = np.min([felt(f"finger_{one}_force_n") for one in range(1, FINGERS + 1)], axis=0)
    firm = np.flatnonzero(least_n >= FIRM_N)
    first = np.searchsorted(recording.t_s, recording.t_s[firm[0]] + SETTLING_S - 1e-9)
    found["judged"] = np.arange(first, firm[-1] + 1)
    return found


def moment_of_wheel(recording: Recording) -> tuple[np.ndarray, np.ndarray]:
    """Rows in which the wheel turns evenly, and the moment its friction and damping need [N m]."""
    drawn, times_s = recording.header.scenario["task"]["drawn"], recording.t_s
    fields = {one.name: one for one in recording.header.signals.fields}
    at = next(at for at, part in enumerate(fields["world_coordinates"].parts) if "valve" in part)
    speed = np.gradient(recording.column("world_coordinates")[:, at], times_s)
    even = (np.abs(speed) > 0.1) & (np.abs(np.gradient(speed, times_s)) < 0.5)
    needed = drawn["friction_nm"] * np.sign(speed) + drawn["damping_nm_s"] * speed
    return np.flatnonzero(even), needed[even]
