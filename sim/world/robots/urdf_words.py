"""URDF's own words, and those that our documents add to it.

Readers that do not know an added word skip it, and have a tree of links in hand all the same:

    <link number="3" label="upper arm">           number and name of the document, where name is not
    <joint number="3" label="" start="0.5">       coordinates where a run begins
        <dynamics damping friction armature/>     inertia of the rotor, seen at the joint
        <limit limited="false"/>                  a slide without limits, which URDF has no word for
        <drive control="torque|speed|voltage" effort speed gain/>
        <bounds speed acceleration effort/>       of a machine in metal
    <joint kind="universal|ball" limit="1.5">     the last of two or three joints that make one,
                                                  with links of nothing between; a ball's cone
    <joint kind="end">                            a place on a link: fixed, to a link of nothing
    <loop_joint name number type="revolute|ball|fixed">   closes a loop, of points on two links
        <parent link xyz/> <child link xyz/> <axis xyz/>  the axis in the axes of the child
    <mesh filename scale><part filename/></mesh>      files of convex parts that touch instead
    <machine box="x y z x y z" own_bodies="true"/>  least and greatest corner of the tool's
                                                  workspace; whether its links must not touch

An empty link called world is the robot's surroundings; the joint that leaves it bears the
base. A limit of no effort or no velocity is none, as exporters write 0 for what they do not know.
"""

from types import MappingProxyType
from typing import Final

import numpy as np

from sim.world.robots.model import JointType

WORLD: Final = "world"
"""Name of the link that the base is on."""
VERSION: Final = "1.2"
"""First version of URDF that has capsules."""
TYPES: Final = MappingProxyType(
    {
        "revolute": JointType.HINGE,
        "continuous": JointType.HINGE,
        "prismatic": JointType.SLIDE,
        "fixed": JointType.FIXED,
        "floating": JointType.FREE,
    }
)
"""Types of joint that are one of ours; planar is three."""
CLOSING: Final = MappingProxyType(
    {"revolute": JointType.HINGE, "ball": JointType.BALL, "fixed": JointType.FIXED}
)
"""Types of joint that close loops."""
PARTS: Final = MappingProxyType({JointType.UNIVERSAL: 2, JointType.BALL: 3})
"""Counts of joints that make one of a type that URDF does not have."""
BALL_AXES: Final = tuple(map(tuple, np.eye(3).tolist()))
"""Axes of the three hinges that replace a ball."""
INERTIA: Final = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
"""Attributes of an inertia in the order of our entries."""
UNBOUNDED_M: Final = 1e9
"""Limit of a slide that has none."""
UNKNOWN: Final = 0.0
"""Value that exporters write for a limit they do not know."""
