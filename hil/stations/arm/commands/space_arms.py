"""Options of the simulated space arm: its file, payloads, drive models, joint angles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hil.config.errors import ConfigError
from hil.machines.kinds import SPACE_ARM
from hil.run.file_kinds import find_kind
from hil.terminal.completion import offered
from hil.terminal.console import numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hil.machines.space_arm.settings import ArmSettings
    from sim.world.space_arm.arm import Arm, Body
    from sim.world.space_arm.drive import DriveModel

ArmArg = Annotated[
    str,
    typer.Argument(
        metavar="ARM",
        help="Arm file, or the name of one that is shipped (bkm).",
        autocompletion=offered("arms"),
    ),
]
JOINT_NAMES = "q1,q2,…"
PAYLOAD_MOST_KG = 1e5


@dataclass(frozen=True, slots=True)
class Load:
    """A payload of the space arm's table."""

    name: str
    """Name of the payload on the command line."""
    body: Body | None
    """Rigid body in the gripper; None for an empty gripper."""

    @property
    def mass_kg(self) -> float:
        """Mass of the payload; 0 for an empty gripper."""
        return 0.0 if self.body is None else self.body.mass_kg


def space_arm_of(name: str, *, key: str = "ARM") -> ArmSettings:
    """Return the space arm that a file describes, or the shipped one of a name.

    Raises:
        ConfigError: if there is no such file, or it is no space arm.
    """
    from hil.machines.space_arm.settings import ArmSettings

    path, _ = find_kind(name, SPACE_ARM, key=key)
    return ArmSettings.load(path)


def models_of(text: str | None, arm: Arm, *, without: str = "") -> tuple[DriveModel, ...]:
    """Drive models of ``--model``, without those of these letters; all of the arm if left out."""
    from sim.world.space_arm.drive import DriveModel

    known = [model for model in DriveModel if model.value not in without]
    if text is None:
        return tuple(model for model in known if model in arm.models())
    letters = [part.strip() for part in text.split(",")]
    for letter in letters:
        if letter not in [model.value for model in known]:
            there = ", ".join(model.value for model in known)
            raise ConfigError("--model", [f"{letter!r} is no drive model here; there are {there}"])
    chosen = tuple(DriveModel(letter) for letter in dict.fromkeys(letters))
    lacking = [f"{one.value!r}: {lack}" for one in chosen if (lack := arm.lacks(one.effects))]
    if lacking:
        raise ConfigError("--model", lacking)
    return chosen


def loads_of(settings: ArmSettings, text: str | None) -> tuple[Load, ...]:
    """Return the payloads of ``--payload``; none and all of the file if it is left out."""
    named = settings.payloads()
    words = ["none", *named] if text is None else [part.strip() for part in text.split(",")]
    loads = []
    for word in dict.fromkeys(words):
        if word == "none":
            loads.append(Load("none", None))
        elif word in named:
            loads.append(Load(word, named[word]))
        elif "@" in word:
            loads.append(Load(word, _shaped_body(settings, word)))
        else:
            loads.append(Load(word, _body(settings, word)))
    return tuple(loads)


def one_load_of(settings: ArmSettings, text: str) -> Load:
    """Return the one payload of ``--payload``."""
    loads = loads_of(settings, text)
    if len(loads) != 1:
        raise ConfigError("--payload", [f"{text!r}: one payload is needed here"])
    return loads[0]


def _body(settings: ArmSettings, word: str) -> Any:
    """Make a payload of a given mass: the file's nearest one, made heavier or lighter."""
    import numpy as np

    from sim.world.space_arm.brake_hold import scaled

    named = settings.payloads()
    mass = _mass_kg(settings, word)
    if not named:
        raise ConfigError(
            "--payload", [f"{word} kg: the arm's file names no payload whose shape could be taken"]
        )
    like = min(named.values(), key=lambda body: abs(np.log(body.mass_kg / mass)))
    return scaled(like, mass)


def _shaped_body(settings: ArmSettings, word: str) -> Any:
    """Make a payload NAME@KG: the shape of one of the file, and a mass of its own."""
    from sim.world.space_arm.brake_hold import scaled

    name, _, text = word.partition("@")
    named = settings.payloads()
    if name not in named:
        there = ", ".join(named) or "none"
        raise ConfigError("--payload", [f"{word!r}: {name!r} is no payload of the file: {there}"])
    return scaled(named[name], _mass_kg(settings, text))


def _mass_kg(settings: ArmSettings, word: str) -> float:
    """Read the mass of a payload [kg]."""
    there = ", ".join(["none", *settings.payloads()])
    try:
        mass = float(word)
    except ValueError:
        raise ConfigError("--payload", [f"{word!r}: {there}, or a mass in kg is needed"]) from None
    if not 0.0 < mass <= PAYLOAD_MOST_KG:
        raise ConfigError("--payload", [f"{word} kg: above 0, at most {PAYLOAD_MOST_KG:g} kg"])
    return mass


def angles_of(settings: ArmSettings, text: str | None) -> NDArray[np.float64]:
    """Return joint angles of ``--q`` [rad; m], shape (n,); the arm's home if it is left out."""
    return settings.home_rad() if text is None else joint_values(settings, text, "--q", "")


def joint_values(settings: ArmSettings, text: str, option: str, per: str) -> NDArray[np.float64]:
    """Read one number a joint, in degrees or metres, and so in rad or m, shape (n,).

    Args:
        per: what follows the unit in words, such as "/s".
    """
    import numpy as np

    unit = f"deg{per}, of a sliding joint m{per}" if any(settings.prismatic) else f"deg{per}"
    count = len(settings.joint)
    found = numbers(text, count, option, f"q1,…,q{count} in {unit}")
    return np.array([one.in_si(v) for one, v in zip(settings.joint, found, strict=True)])


def beyond_torque(
    names: list[str], motor_nm: NDArray[np.float64], limits_nm: NDArray[np.float64]
) -> list[str]:
    """Say which motors cannot give their torques [N m], shape (n,) each."""
    return [
        f"{name}: {torque:.4g} N m is beyond what the motor's current gives, {limit:.4g} N m"
        for name, torque, limit in zip(names, motor_nm, limits_nm, strict=True)
        if abs(torque) > limit
    ]
