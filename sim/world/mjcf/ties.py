"""The section ``equality``: loops that close, joints that follow others."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.mjcf_robot import TIE_IMPEDANCE, TIE_STEPS
from sim.world.mjcf.bodies import OWN, ModelBodies, points_at
from sim.world.mjcf.values import MjcfValues
from sim.world.robots.body import Numbers
from sim.world.robots.model import DRIVEN, JointType, Mimic
from sim.world.robots.named_parts import NamedJoint
from sim.world.robots.urdf_words import WORLD
from sim.world.robots.xml_nodes import XmlNode

Array = NDArray[np.float64]

APART_M: Final = 1e-6
"""Least distance of two points of a hinge that define its axis."""
TURNED: Final = 1e-9
"""Difference of two frames above which a tie turns what the model has there."""
STEP_S: Final = 0.002
"""Step of a model without one."""


@dataclass(slots=True)
class _Tie:
    """Points of two links that coincide."""

    node: XmlNode
    kind: str
    links: tuple[str, str]
    points: tuple[Numbers, Numbers]


def read_ties(
    values: MjcfValues, root: XmlNode, bodies: ModelBodies, *, ours: bool
) -> tuple[list[NamedJoint], set[str]]:  # fmt: skip
    """Read the joints that close loops, the sites they used, and set the followers.

    Two points of the same two bodies are a hinge.
    """
    ties: list[_Tie] = []
    used: set[str] = set()
    usual = (TIE_STEPS * _step_s(root), 1.0)
    for section in root.all("equality"):
        for node in section.children:
            if node.tag not in ("connect", "weld", "joint"):
                continue
            section.take(node)
            node.get("name")
            _softness(values, node, usual)
            if not values.flag(node, "active", instead=True):
                reason = "a tie that is switched off closes nothing"
                values.losses.append(node.loss(f"<{node.tag}>", node.get("name"), reason))
                node.asked.update(node.attributes)
            elif node.tag == "joint":
                _follower(values, node, bodies)
            elif (tie := _tie(values, node, bodies, used)) is not None:
                ties.append(tie)
    return _closing(ties, ours=ours), used


def _step_s(root: XmlNode) -> float:
    words = [one.attributes.get("timestep", "") for one in root.children if one.tag == "option"]
    try:
        return float(words[0])
    except (IndexError, ValueError):
        return STEP_S


def _softness(values: MjcfValues, node: XmlNode, usual: Numbers) -> None:
    """Note a tie of other softness: ties are as stiff as the step permits."""
    for name, own in (("solref", usual), ("solimp", TIE_IMPEDANCE)):
        found = values.listed(node, name, 5)
        if found and found != own:
            reason = "ties are as stiff as the step lets them"
            values.losses.append(node.loss(name, found, reason))


def _follower(values: MjcfValues, node: XmlNode, bodies: ModelBodies) -> None:
    joint = next((one for one in bodies.joints if one.name == node.get("joint1")), None)
    leader = node.get("joint2")
    known = {one.name for one in bodies.joints if one.type in DRIVEN}
    coefficients = values.listed(node, "polycoef", 5) or (0.0, 1.0)
    offset, ratio, *more = (*coefficients, 0.0)[: max(2, len(coefficients))]
    problem = ""
    if joint is None or joint.name not in known:
        problem = "it holds no hinge or slide"
    elif leader is None:
        problem = "a joint that is held has no word here; its type could be fixed"
    elif leader not in known:
        problem = f"no hinge or slide is named {leader}"
    elif any(more):
        problem = "a joint follows another one in proportion only"
    elif joint.leader:
        problem = f"the joint follows {joint.leader} already"
    if problem or joint is None or leader is None:
        values.losses.append(node.loss("<joint>", node.get("joint1"), problem))
        node.asked.update(node.attributes)
        return
    joint.leader, joint.mimic = leader, Mimic(0, ratio, offset)


def _tie(
    values: MjcfValues, node: XmlNode, bodies: ModelBodies, used: set[str]
) -> _Tie | None:  # fmt: skip
    if node.get("site1") is not None or node.get("site2") is not None:
        return _of_sites(values, node, bodies, used)
    names = (values.word(node, "body1"), node.get("body2") or WORLD)
    for name in names:
        if name not in bodies.offsets_m:
            values.fault(node, name, "no such body", "a body that is there")
            return None
    anchor = np.array(values.numbers(node, "anchor", (0.0, 0.0, 0.0)))
    owner = names[0] if node.tag == "connect" else names[1]
    in_link = anchor - bodies.offsets_m[owner]
    pose = bodies.poses[owner]
    at = pose[:3, :3] @ in_link + pose[:3, 3]
    points = [points_at(bodies, name, at) for name in names]
    if node.tag == "weld":
        node.get("torquescale")
        relative_pose = values.listed(node, "relpose", 7)
        if len(relative_pose) == 7 and any(relative_pose[3:]):
            points[0] = tuple((np.array(relative_pose[:3]) - bodies.offsets_m[names[0]]).tolist())
            reason = "the bodies are held as they are turned where the model has them"
            values.losses.append(node.loss("relpose", relative_pose, reason))
    return _Tie(node, node.tag, names, (points[0], points[1]))


def _of_sites(
    values: MjcfValues, node: XmlNode, bodies: ModelBodies, used: set[str]
) -> _Tie | None:  # fmt: skip
    names = [values.word(node, one) for one in ("site1", "site2")]
    if absent := [name for name in names if name not in bodies.sites]:
        values.fault(node, absent[0], "no such site", "a site that is there")
        return None
    used.update(names)
    one, other = (bodies.sites[name] for name in names)
    if node.tag == "weld":
        node.get("torquescale")
        frames = [bodies.poses[site.link] @ site.pose for site in (one, other)]
        if np.abs(frames[0][:3, :3] - frames[1][:3, :3]).max() > TURNED:
            reason = "the bodies are held as they are turned where the loops are closed"
            values.losses.append(node.loss("site1", names[0], reason))
    points = [tuple(site.pose[:3, 3].tolist()) for site in (one, other)]
    return _Tie(node, node.tag, (one.link, other.link), (points[0], points[1]))


def _closing(ties: list[_Tie], *, ours: bool) -> list[NamedJoint]:
    found: list[NamedJoint] = []
    done: set[int] = set()
    for index, tie in enumerate(ties):
        if index in done:
            continue
        label = tie.node.attributes.get("name", f"tie{index + 1}")
        match = OWN["c"].fullmatch(label) if ours else None
        kind, axis = JointType.FIXED if tie.kind == "weld" else JointType.BALL, ()
        second = next((other for other in range(index + 1, len(ties)) if _same(tie, ties[other])),
                      None)  # fmt: skip
        if second is not None and kind is JointType.BALL:
            apart_m = np.subtract(ties[second].points[1], tie.points[1])
            if np.linalg.norm(apart_m) > APART_M:
                done.add(second)
                kind, axis = JointType.HINGE, tuple((apart_m / np.linalg.norm(apart_m)).tolist())
        found.append(
            NamedJoint(tie.node, f"{label} tie", "" if match else label, kind, *tie.links,
                       np.eye(4), axis, points=tie.points,
                       number=int(match[1]) if match else None)
        )  # fmt: skip
    return found


def _same(one: _Tie, other: _Tie) -> bool:
    return (one.kind, other.kind) == ("connect", "connect") and one.links == other.links
