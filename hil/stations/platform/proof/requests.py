"""Proof of an operator's requests: a target against the envelope, a motion throughout.

Nothing of this moves a machine. It loads the kinematics of the rig, so it is a separate process
beside the desk (`prover`), which must never be kept from noticing a silence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hil.config.settings import ConfigError
from hil.desk.order import MOTION_MAX_BYTES, Six
from hil.machines.rig.machine import envelope_of, geometry_of
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.scenario import MultiSineSettings, Plan
from hil.stations.platform.proof.check import PlatformProof, check_plan
from hil_common.arrays.pose import Pose
from platform6dof.pose import PlatformSetpoint

SHOWN_MAX: Final = 6
"""Most findings that an answer names, of different quantities; the rest is counted."""
LIVE_KIND: Final = "multi_sine"


class PlanJudge:
    """Judge of targets and motions for one plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._envelope = envelope_of(plan.rig, geometry_of(plan.rig))

    def target(self, pose: Six) -> str:
        """Judge a pose to rest at.

        Args:
            pose: (x, y, z [m], alpha, beta, gamma [rad]).

        Returns:
            Faults with value, limit and unit; empty if there are none.
        """
        setpoint = PlatformSetpoint.at_rest(Pose.from_coordinates(pose))
        found = self._envelope.check(setpoint)
        return _listed("target", [(item.quantity, str(item)) for item in found])

    def motion(self, table: Mapping[str, Any]) -> tuple[str, bytes]:
        """Judge a ``[motion]`` table that replaces the one in force.

        Returns:
            Faults, empty if there are none; and the whole table as JSON.
        """
        if wrong := self._wrong_kind(table):
            return wrong, b""
        try:
            settings = MultiSineSettings.build(table, "motion")
            scenario = self._plan.scenario.model_copy(update={"motion": settings})
            plan = self._plan.model_copy(update={"scenario": scenario})
            motion = motion_of(plan)
        except ConfigError as error:
            return _listed("", [(line, line) for line in str(error).splitlines()]), b""
        encoded = settings.model_dump_json().encode("utf-8")
        if len(encoded) > MOTION_MAX_BYTES:
            fits = len(settings.terms) * MOTION_MAX_BYTES // len(encoded)
            return (
                f"motion.terms: {len(settings.terms)} terms are {len(encoded)} bytes; at most "
                f"{MOTION_MAX_BYTES} bytes, about {fits} terms, can change while a bench runs"
            ), b""
        wrong = _found(check_plan(plan, motion))
        return wrong, b"" if wrong else encoded

    def _wrong_kind(self, table: Mapping[str, Any]) -> str:
        remedy = "end the run and begin another one with that motion"
        now = self._plan.scenario.motion.kind
        if now != LIVE_KIND:
            return f"motion.kind is {now!r}: only {LIVE_KIND!r} changes while it runs; {remedy}"
        if (kind := table.get("kind")) != LIVE_KIND:
            return f"motion.kind = {kind!r:.60}: need {LIVE_KIND!r} in a run of it; {remedy}"
        return ""


def _found(result: PlatformProof) -> str:
    return _listed(
        "motion",
        [(item.quantity, item.line) for item in result.violations],
    )


def _listed(place: str, findings: list[tuple[str, str]]) -> str:
    """Line for each quantity that is wrong, the first found, in a text of a bounded length.

    Args:
        place: place of the findings; empty if they name it themselves.
        findings: quantity and line of each.
    """
    lines: dict[str, str] = {}
    for quantity, line in findings:
        lines.setdefault(quantity, f"{place}: {line}" if place else line)
    shown = [line[:400] for line in list(lines.values())[:SHOWN_MAX]]
    if len(findings) > len(shown):
        shown.append(f"and {len(findings) - len(shown)} more")
    return "\n".join(shown)
