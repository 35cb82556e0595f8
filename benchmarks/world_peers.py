"""Peers of the virtual environment: MJCF as one writes it by hand, and PyBullet.

The MJCF is made of a robot's TOML table without any of the program's own code: nested bodies,
places by Euler's angles, masses by the engine from its shapes, a free joint, sites that are
connected.
"""

import math
import os
import sys
from collections.abc import Iterator
from typing import Any

FOLDER = "HIL_PYBULLET"
"""Variable of the environment: where PyBullet is, if not among the installed packages."""
HOW = f"pip install --target /tmp/pybullet pybullet==3.2.7, then {FOLDER}=/tmp/pybullet"


def plain_mjcf(table: dict[str, Any], step_s: float) -> str:
    """A robot by hand.

    Args:
        table: of its TOML document.
        step_s: of the engine.
    """
    links = {row["number"]: row for row in table["link"]}
    ties = [row for row in table["joint"] if "at_child_m" in row]
    driver = {
        row["child"]: row
        for row in table["joint"]
        if row["type"] != "end" and "at_child_m" not in row
    }
    lines = [
        '<mujoco><compiler angle="radian" eulerseq="xyz" autolimits="true"/>',
        f'<option timestep="{step_s}" integrator="implicitfast" cone="elliptic" impratio="10"/>',
        "<worldbody>",
        *_bodies(-1, links, driver, ties, table),
        "</worldbody><equality>",
    ]
    loose = f'solref="{2 * step_s} 1" solimp="0.999 0.9999 0.0001 0.5 2"'
    for row in ties:
        tied = f'site1="p{row["number"]}" site2="c{row["number"]}"'
        lines.append(f"<connect {tied} {loose}/>")
    lines += ["</equality><actuator>", *map(_drive, table.get("drive", ())), "</actuator></mujoco>"]
    return "\n".join(lines)


def _bodies(
    parent: int, links: dict[int, Any], driver: dict[int, Any], ties: list[Any], table: Any
) -> Iterator[str]:
    free = {number for number, joint in driver.items() if joint["type"] == "free"}
    own = {number for number, joint in driver.items() if joint["parent"] == parent}
    for number in sorted(own | free if parent < 0 else own - free):  # a free one stands at the top
        link, joint = links[number], driver[number]
        dh = link["dh"]
        sine, cosine = math.sin(dh["alpha_rad"]), math.cos(dh["alpha_rad"])
        place = (dh["d_m"], -sine * dh["r_m"], cosine * dh["r_m"])
        six = "gamma_rad" in dh
        if six:
            yield f'<frame pos="0 0 {dh["b_m"]!r}" euler="0 0 {dh["gamma_rad"]!r}">'
        turned = (dh["alpha_rad"], 0.0, dh["theta_rad"])
        yield f'<body name="l{number}" pos="{_words(place)}" euler="{_words(turned)}">'
        yield from _joints(joint)
        yield from _geom(link, links, table)
        for row in ties:
            for side, who in (("p", "parent"), ("c", "child")):
                if row[who] == number:
                    at = _words(row["at_parent_m" if side == "p" else "at_child_m"])
                    yield f'<site name="{side}{row["number"]}" pos="{at}"/>'
        yield from _bodies(number, links, driver, ties, table)
        yield "</body>" + "</frame>" * six


def _joints(joint: dict[str, Any]) -> Iterator[str]:
    number = joint["number"]
    more = "".join(
        f' {word}="{joint[key]!r}"'
        for word, keys in (
            ("damping", ("damping_nm_s", "damping_n_s_m")),
            ("armature", ("armature_kg_m2", "armature_kg")),
        )
        for key in keys
        if key in joint
    )
    limits = joint.get("limits_rad", joint.get("limits_m"))
    match joint["type"]:
        case "free":
            yield f'<freejoint name="j{number}"/>'
        case "hinge" | "slide" as kind:
            bounds = f' range="{_words(limits)}"' if limits else ""
            axis = _words(joint["axis"])
            yield f'<joint name="j{number}" type="{kind}" axis="{axis}"{bounds}{more}/>'
        case "universal":
            for index, end in enumerate("ab"):
                bounds = f' range="{_words(limits[index])}"' if limits else ""
                axis = _words(joint["axis"][3 * index : 3 * index + 3])
                yield f'<joint name="j{number}{end}" axis="{axis}"{bounds}{more}/>'


def _geom(link: dict[str, Any], links: dict[int, Any], table: Any) -> Iterator[str]:
    if link.get("shape", "none") == "none":
        return
    size = list(link["size_m"])
    weight = f'mass="{link["mass_kg"]!r}"' if "mass_kg" in link else (
        f'density="{link["density_kg_m3"]!r}"'
    )  # fmt: skip
    shape, where = link["shape"], ""
    if "place" in link:
        where = f'pos="{_words(link["place"]["position_m"])}"'
        where += f' quat="{_words(link["place"].get("quaternion", (1, 0, 0, 0)))}"'
    elif shape in ("capsule", "cylinder") and len(size) == 1:
        after = next(row for row in table["joint"] if row["number"] == link["leaving"][0])
        dh = links[after["child"]]["dh"] if after["child"] >= 0 else {}
        far = after.get("at_parent_m") or (
            dh["d_m"],
            -math.sin(dh["alpha_rad"]) * dh["r_m"],
            math.cos(dh["alpha_rad"]) * dh["r_m"],
        )
        where = f'fromto="0 0 0 {_words(far)}"'
    half = {"box": size, "sphere": []}.get(shape, size[1:])
    whole = size[:1] if shape in ("sphere", "capsule", "cylinder") else []
    sizes = _words([*whole, *(0.5 * one for one in half)])
    yield f'<geom type="{shape}" size="{sizes}" {where} {weight} contype="2" conaffinity="1"/>'


def _drive(drive: dict[str, Any]) -> str:
    joint, effort = f'joint="j{drive["joint"]}"', drive.get("effort_max_nm", 0.0)
    effort = effort or drive["effort_max_n"]
    if drive["control"] == "torque":
        return f'<motor {joint} ctrlrange="{-effort} {effort}"/>'
    slope = -effort / drive["speed_max_rad_s"]
    terms = f'gainprm="{effort}" biastype="affine" biasprm="0 0 {slope!r}"'
    return f'<general {joint} ctrlrange="-1 1" {terms}/>'


def _words(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)


def pybullet() -> Any:
    """The module.

    Raises:
        ImportError: if it is not there.
    """
    if folder := os.environ.get(FOLDER):
        sys.path.insert(0, folder)
    import pybullet as found  # pyright: ignore[reportMissingImports]

    return found


class Bullet:
    """A robot of an URDF, its base fixed, in PyBullet without a window.

    Raises:
        ImportError: if it is not there.
    """

    def __init__(self, urdf: str, step_s: float, start: list[float]) -> None:
        self._bullet: Any = pybullet()
        self._client = self._bullet.connect(self._bullet.DIRECT)
        self._bullet.setGravity(0.0, 0.0, -9.81)
        self._bullet.setTimeStep(step_s)
        own = self._bullet.URDF_USE_INERTIA_FROM_FILE
        self._robot = self._bullet.loadURDF(urdf, useFixedBase=True, flags=own)
        count = self._bullet.getNumJoints(self._robot)
        kinds = [self._bullet.getJointInfo(self._robot, one)[2] for one in range(count)]
        self._joints = [one for one, kind in enumerate(kinds) if kind != 4]
        self._start = start
        for one in range(-1, count):
            self._bullet.changeDynamics(
                self._robot, one, linearDamping=0.0, angularDamping=0.0, jointDamping=0.0
            )
        self._bullet.setJointMotorControlArray(
            self._robot, self._joints, self._bullet.VELOCITY_CONTROL, forces=[0.0] * len(start)
        )
        self.restart()

    def restart(self) -> None:
        """Where it started, at rest."""
        for joint, value in zip(self._joints, self._start, strict=True):
            self._bullet.resetJointState(self._robot, joint, value, 0.0)

    def steps(self, count: int, torques: list[float]) -> list[float]:
        """Torque write, step and state so often; the last angles."""
        bullet, robot, joints = self._bullet, self._robot, self._joints
        mode, angles = bullet.TORQUE_CONTROL, list[float]()
        for _ in range(count):
            bullet.setJointMotorControlArray(robot, joints, mode, forces=torques)
            bullet.stepSimulation()
            states = bullet.getJointStates(robot, joints)
            angles = [one[0] for one in states]
        return angles

    def close(self) -> None:
        """Leave it."""
        self._bullet.disconnect(self._client)
