"""MJCF read as a robot: bodies, joints, loops, drives; every loss is told with its line.

What the engine's own reader swallows or takes silently is told: elements and attributes that
nobody reads, in defaults too. Our own models (`sim.world.engine.mjcf`) come back with their
numbers.
"""

from dataclasses import replace
from typing import Final

from sim.world.meshes.mesh_reader import MeshFiles, no_files
from sim.world.mjcf.actuators import joints_asked_for, read_drives
from sim.world.mjcf.assets import read_assets
from sim.world.mjcf.attachments import attach_models
from sim.world.mjcf.bodies import OWN, BodyReader, ModelBodies, are_ours, end_of
from sim.world.mjcf.defaults import give_defaults
from sim.world.mjcf.includes import include_files, replicate
from sim.world.mjcf.keyframe import read_start
from sim.world.mjcf.reasons import REASONS
from sim.world.mjcf.ties import read_ties
from sim.world.mjcf.values import MjcfValues, ModelUnits
from sim.world.robots.bodies import scale_mass
from sim.world.robots.body import Triple
from sim.world.robots.faults import called
from sim.world.robots.losses import Loss
from sim.world.robots.model import JOINTS_MAX, LINKS_MAX, Robot
from sim.world.robots.named_parts import NamedJoint
from sim.world.robots.robot_assembly import NamedParts, assemble_robot, exact, resolve_mimic_chains
from sim.world.robots.robot_checks import findings_of
from sim.world.robots.start_coordinates import start_inside
from sim.world.robots.xml_nodes import XmlNode, read_nodes
from sim.world.robots.xml_values import triple
from sim.world.scenes.model import Stepping

RIGHT: Final = "<mujoco> is the outermost element; the name of a file of URDF ends in .urdf"
"""What a model would be."""
SWITCHED: Final = {
    "fusestatic": "false", "discardvisual": "false", "coordinate": "local", "alignfree": "false",
}  # fmt: skip
"""Attributes of ``compiler`` that change a model unless they are so."""


MOST: Final = {"body": LINKS_MAX, "joint": JOINTS_MAX, "geom": 10_000}
"""Elements of a model at most, by name."""


def read_mjcf(
    text: str, source: str, files: MeshFiles = no_files
) -> tuple[Robot, tuple[Loss, ...]]:
    """The robot of a model, and what of the model it does not have, in its order.

    Args:
        source: the document, for error texts.
        files: where its meshes are had from.

    Raises:
        RobotDocumentError: with every fault.
    """
    return _Reader(text, source, files).robot()


class _Reader:
    """One model while it is read."""

    def __init__(self, text: str, source: str, files: MeshFiles) -> None:
        self._root = read_nodes(text, source)
        self._values = MjcfValues(source, files)
        if self._root.tag != "mujoco":
            phrase = f"<{self._root.tag}>"
            self._values.fault(self._root, phrase, "no MJCF", RIGHT)
        include_files(self._values, self._root, files)
        self._values.faults.end()
        self._values.units = self._units(self._root)
        attach_models(self._values, self._root, files, self._units)
        self._values.faults.end()
        replicate(self._values, self._root)
        for tag, most in MOST.items():  # before anything is made of them, which takes its time
            nodes = [one for one in self._root.walk() if one.tag == tag]
            if len(nodes) > most:
                first = sorted(nodes, key=lambda node: (node.line, node.column))[most]
                self._values.fault(
                    first, len(nodes), f"there are more than {most}", "leave some out"
                )
        self._values.faults.end()

    def robot(self) -> tuple[Robot, tuple[Loss, ...]]:
        root, values = self._root, self._values
        give_defaults(values, root)
        gravity = self._options()
        worlds = root.all("worldbody")
        if not worlds:
            values.fault(root, None, "no <worldbody>", "one, with all bodies")
            values.faults.end()
        for more in worlds[1:]:  # as several files have one each, the engine joins them
            worlds[0].children += more.children
            more.children.clear()
        ours = are_ours(worlds[0])
        reader = BodyReader(values, read_assets(values, root), joints_asked_for(root), ours=ours)
        reader.read(worlds[0])
        bodies = reader.found
        values.faults.end()
        loops, used = read_ties(values, root, bodies, ours=ours)
        read_drives(values, root, bodies.joints)
        joints = [*bodies.joints, *self._ends(bodies, used, ours=ours)]
        read_start(values, root, bodies)
        start_inside(values, joints, keep_given=True)
        resolve_mimic_chains(values, joints)
        parts = NamedParts(bodies.links, exact(joints, bodies.links), loops)
        values.faults.end()
        robot = assemble_robot(values, parts, root.get("model") or "", None)
        robot = replace(robot, gravity_m_s2=gravity)
        if values.units.total_kg > 0.0 and not findings_of(robot):
            robot = scale_mass(robot, values.units.total_kg)
        values.faults.take(called(findings_of(robot), robot))
        values.faults.end()
        losses = values.losses + self._untaken()
        return robot, tuple(sorted(losses, key=lambda one: (one.line, one.column)))

    def _untaken(self) -> list[Loss]:
        """Of sections of which nothing is read, each element."""
        found: list[Loss] = []
        for section in self._root.all("sensor"):
            for node in section.children:
                label = node.get("name") or node.get("joint")
                found.append(node.loss(f"<{node.tag}>", label, REASONS["sensor"]))
                section.take(node, whole=True)
        for section in self._root.children:
            if section.tag in ("contact", "keyframe", "equality", "actuator"):
                self._root.take(section)
        return found + list(self._root.untaken(REASONS))

    def _units(self, root: XmlNode) -> ModelUnits:
        values, units = self._values, ModelUnits()
        for node in root.all("compiler"):
            degrees, euler = units.degrees, node.get("eulerseq")
            if node.get("angle") is not None:
                degrees = values.word(node, "angle", {"degree": None, "radian": None}) != "radian"
            if euler is not None and (len(euler) != 3 or not {*euler.lower()} <= {*"xyz"}):
                values.fault(node, euler, "eulerseq is not read", "three of x, y, z, X, Y, Z")
                euler = None
            if node.attributes.get("coordinate") == "global":
                right = "local; load it in a release before 2.3.4 of the engine and save it"
                values.fault(node, "global", "coordinates of the world are not read", right)
            groups = values.listed(node, "inertiagrouprange", 2)
            units = ModelUnits(
                degrees, euler or units.euler,
                values.flag(node, "autolimits", instead=units.has_limits),
                node.get("meshdir") or node.get("assetdir") or units.mesh_folder,
                values.flag(node, "strippath", instead=units.bare_names),
                values.number(node, "settotalmass", units.total_kg),
                {"true": True, "false": False}.get(node.get("inertiafromgeom") or "auto"),
                (int(groups[0]), int(groups[1])) if len(groups) == 2 else units.groups,
                values.number(node, "boundmass", units.least_kg),
                values.number(node, "boundinertia", units.least_kg_m2),
                values.flag(node, "balanceinertia", instead=units.balances),
            )  # fmt: skip
            node.asked.update(("assetdir", "texturedir", "usethread"))
            node.asked.update(
                name for name, usual in SWITCHED.items()
                if node.attributes.get(name, usual) == usual
            )  # fmt: skip
        return units

    def _options(self) -> Triple | None:
        """The model's gravity; None for the usual one. What a scene has as well is not told."""
        usual = Stepping()
        known = {
            "timestep": (usual.step_s,),
            "magnetic": usual.magnetic_t, "impratio": (10.0,),
        }  # fmt: skip
        words = {"integrator": usual.integrator, "cone": "elliptic"}
        gravity, is_off = usual.gravity_m_s2, False
        for node in self._root.all("option"):
            gravity = triple(self._values.numbers(node, "gravity", gravity))
            for name, numbers in known.items():
                if self._values.numbers(node, name, numbers) != numbers:
                    node.asked.discard(name)
            for name, word in words.items():
                if node.attributes.get(name) == word:
                    node.get(name)
            for flag in node.all("flag"):
                if flag.attributes.get("gravity") == "disable":
                    flag.get("gravity")
                    is_off = True
                if flag.attributes.get("autoreset") == "disable":
                    flag.get("autoreset")
        gravity = (0.0, 0.0, 0.0) if is_off else gravity
        return None if gravity == usual.gravity_m_s2 else gravity

    def _ends(self, bodies: ModelBodies, used: set[str], *, ours: bool) -> list[NamedJoint]:
        """Places on links that no tie uses."""
        found: list[NamedJoint] = []
        for label, site in bodies.sites.items():
            site.node.asked.update(site.node.attributes)  # what it looks like
            match = OWN["e"].fullmatch(label) if ours else None
            if label in used or (ours and match is None):  # a sensor's of our own
                continue
            end = end_of(label, site, int(match[1]) if match else None)
            if abs(site.pose[:3, :3].trace() - 3.0) > 1e-12:
                reason = "a place on a link is not turned"
                self._values.losses.append(site.node.loss("quat", None, reason))
            found.append(end)
        return found
