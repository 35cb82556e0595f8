"""An operator's requests to a machine: pose, tempo, motion; as messages for the desk.

Nothing is sent here: the window takes the messages and hands them to its connection. A slider that
is drawn becomes one target per picture, the newest. The press for a pose waits until the desk has
proved the target that it is meant for.

What is shown is what is in force at the bench, whoever asked for it, until a control is moved
here; so the first step of a new owner is a step from there.
"""

from collections.abc import Callable
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil.desk import messages as m
from hil.panel.lead.models.live_motion import Comparison, LiveMotion
from hil.panel.live.models.in_force import InForce
from hil.panel.scenarios.models.form import FormModel
from hil.panel.scenarios.models.form_check import Problem
from hil.run.lead import Poses

Array = NDArray[np.float64]
Control = Literal["target", "override", "play", "pose", "motion"]

AXES: Final = ("x", "y", "z", "alpha", "beta", "gamma")
FINE_STEP: Final = np.array([1e-3] * 3 + [np.radians(0.1)] * 3)
"""Step of a key [m, rad]."""
COARSE_STEP: Final = 10.0 * FINE_STEP
"""Step of a key with Shift, or of page up and down [m, rad]."""
OVERRIDE_STEP: Final = 0.05
PROVED_WITHIN_S: Final = 1.0
"""A press for a pose whose target is not proved by then is forgotten: it would come as a
surprise."""


class ControlsModel:
    """The controls of one run."""

    def __init__(
        self, poses: Poses, motion: LiveMotion, next_id: Callable[[], int], in_force: InForce
    ) -> None:
        self._next_id = next_id
        self.in_force = in_force
        """What the bench was told, and plays."""
        self._poses = poses
        self._stood = poses.neutral.copy()
        self._aimed: Array | None = None
        self._limits_at = poses.neutral
        self._limits = poses.limits(poses.neutral)
        self._tempo: float | None = None
        self._due: dict[Control, bool] = {"target": False, "override": False}
        self._presses: list[m.ClientMessage] = []
        self._asked: dict[Control, int] = {}
        self._pose_asked_s: float | None = None
        self._errors: dict[Control, str] = {}
        self._proposed = 0
        self._motion = motion

    # --- pose -----------------------------------------------------------------------------------

    @property
    def target(self) -> Array:
        """The pose that the sliders show [m, rad], shape (6,), a copy.

        As it is wanted here; else as it was ordered; else where the platform stands.
        """
        return self._target.copy()

    @property
    def _target(self) -> Array:
        if self._aimed is not None:
            return self._aimed
        pose = self.in_force.pose
        return self._stood if pose is None else np.array(pose, dtype=np.float64)

    def take_rest_pose(self, pose: ArrayLike) -> None:
        """Take where the platform rests, led and with nothing being played [m, rad], shape (6,)."""
        stood = np.array(pose, dtype=np.float64)
        if np.isfinite(stood).all():
            self._stood = stood

    @property
    def limits(self) -> Array:
        """Lowest and highest value of each coordinate at this moment [m, rad], shape (6, 2)."""
        target = self._target
        if not np.array_equal(target, self._limits_at):
            self._limits_at, self._limits = target, self._poses.limits(target)
        return self._limits.copy()

    def set_coordinate(self, axis: int, value: float) -> None:
        """Want another value of a coordinate [m, rad]; beyond its end it is at its end."""
        target = self.target
        target[axis] = np.clip(value, *self.limits[axis])
        self._aim(target)

    def step(self, axis: int, steps: float, *, coarse: bool = False) -> None:
        """Want a coordinate some steps of a key further."""
        size = (COARSE_STEP if coarse else FINE_STEP)[axis]
        self.set_coordinate(axis, self._target[axis] + steps * size)

    def neutral(self) -> None:
        """Want the pose in the middle."""
        self._aim(self._poses.neutral.copy())

    def _aim(self, target: Array) -> None:
        if np.array_equal(target, self._target):
            return
        self._aimed, self._due["target"] = target, True

    @property
    def _proved(self) -> bool:
        """Whether control has the very pose that is shown."""
        pose = self.in_force.pose
        return pose is not None and not self._due["target"] and np.array_equal(pose, self._target)

    # --- tempo and presses ----------------------------------------------------------------------

    @property
    def override(self) -> float:
        """The tempo wanted, 0 to 1: here, until the desk has answered; else as it was ordered."""
        return self.in_force.override if self._tempo is None else self._tempo

    def set_override(self, value: float) -> None:
        """Want another tempo; outside 0 to 1 it is at the nearest end."""
        value = min(max(value, 0.0), 1.0)
        if value != self.override:
            self._tempo, self._due["override"] = value, True

    def play(self) -> None:
        """Press play; a pose that was waited for is not wanted any more."""
        self._pose_asked_s = None
        self._press("play")

    def pose(self, now_s: float) -> None:
        """Press pose, as soon as the desk has proved the target that is shown now."""
        self._errors.pop("pose", None)
        if self._proved:
            self._press("pose")
            return
        self._due["target"] = True
        self._pose_asked_s = now_s

    def disowned(self) -> None:
        """The motion is not this panel's any more: nothing waits, and what is in force is shown."""
        self._pose_asked_s = self._aimed = self._tempo = None
        self._due = {"target": False, "override": False}
        unsaid = {press.id for press in self._presses if isinstance(press, m.Press | m.Motion)}
        self._presses.clear()
        self._asked = {key: one for key, one in self._asked.items() if one not in unsaid}
        self._errors.clear()

    def _press(self, button: Literal["play", "pose"]) -> None:
        self._errors.pop(button, None)
        number = self._asked[button] = self._next_id()
        self._presses.append(m.Press(button=button, id=number))

    # --- motion ---------------------------------------------------------------------------------

    @property
    def motion(self) -> FormModel:
        """The scenario as a form; its ``motion`` can be changed while the bench runs.

        Another object when another motion is in force and nobody has edited this one.
        """
        return self._motion.form

    @property
    def motion_live(self) -> bool:
        """Whether it can: only sums of sines can."""
        return self._motion.live

    @property
    def motion_in_force(self) -> Comparison:
        """Relation of the form to the motion in force."""
        return self._motion.comparison

    def motion_problems(self) -> tuple[Problem, ...]:
        """Problems of the motion as it is edited, at its fields; not yet those of its course."""
        return self._motion.problems()

    def apply_motion(self) -> bool:
        """Ask for the edited motion, all of it at once.

        Returns:
            Whether it was asked for; not while something is wrong with it.
        """
        if not self.motion_live or self.motion_problems():
            return False
        self._errors.pop("motion", None)
        number = self._asked["motion"] = self._next_id()
        self._presses.append(m.Motion(table=self._motion.table, id=number))
        self._proposed = self.motion.revision
        return True

    @property
    def motion_pending(self) -> bool:
        """Whether the desk has yet to answer for a motion."""
        return "motion" in self._asked

    # --- talk with the desk ---------------------------------------------------------------------

    def messages(self, now_s: float) -> list[m.ClientMessage]:
        """Messages that are due to the desk now, in order; each once."""
        self._motion.follow()
        if self._pose_asked_s is not None and now_s - self._pose_asked_s > PROVED_WITHIN_S:
            self._pose_asked_s = None
            self._errors["pose"] = (
                "the target was not proved within {within_s} s; press again".format(
                    within_s=f"{PROVED_WITHIN_S:g}"
                )
            )
        said: list[m.ClientMessage] = []
        if self._due["target"]:
            x, y, z, alpha, beta, gamma = self._target.tolist()
            number = self._asked["target"] = self._next_id()
            said.append(m.Target(pose=(x, y, z, alpha, beta, gamma), id=number))
        if self._due["override"]:
            number = self._asked["override"] = self._next_id()
            said.append(m.Override(value=self.override, id=number))
        self._due = {"target": False, "override": False}
        said += self._presses
        self._presses = []
        return said

    def answered(self, answer: m.Answer) -> Control | None:
        """Take the desk's answer.

        Returns:
            Control it is for; None if it is to none of these controls, or to one that was replaced.
        """
        asked: list[Control] = [key for key, number in self._asked.items() if number == answer.id]
        if not asked:
            return None
        control = asked[0]
        del self._asked[control]
        self._errors.pop(control, None)
        if not answer.ok:
            self._errors[control] = answer.error or "refused"
        if control == "target":
            self._target_answered(answer.ok)
        if control == "override" and not self._due["override"]:
            self._tempo = None
        if control == "motion" and answer.ok and self._proposed == self.motion.revision:
            self.motion.saved()
        return control

    def error_of(self, control: Control) -> str:
        """Return why the last request of a sort was refused; empty if it was not."""
        return self._errors.get(control, "")

    def _target_answered(self, ok: bool) -> None:
        if self._pose_asked_s is None or self._due["target"]:
            return
        self._pose_asked_s = None
        if ok and self._proved:
            self._press("pose")
