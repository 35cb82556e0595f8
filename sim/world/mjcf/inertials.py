"""What a body weighs besides its geoms: its ``inertial``, and what ``compiler`` bounds.

The engine's manual, XML reference, "compiler": ``boundmass`` and ``boundinertia`` are the least
mass and principal moment of a body, and ``balanceinertia`` gives one whose moments are no body's
three equal ones. They act in this order.
"""

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.mjcf_robot import MASSLESS
from sim.world.mjcf.geoms import inertia_of
from sim.world.mjcf.values import MjcfValues, ModelUnits
from sim.world.robots.body import LinkInertia
from sim.world.robots.shapes import MassProperties, nearest_inertia, tensor_of
from sim.world.robots.xml_nodes import XmlNode, named

Array = NDArray[np.float64]


def given_inertia(
    values: MjcfValues, body: XmlNode, node: XmlNode, around: Array, offset_m: Array
) -> LinkInertia | None:
    """Mass, centre and moments in the link's axes; none of what our own models write for it.

    Args:
        node: the ``inertial`` of the body.
        around: the frame around it in the body's, shape (4, 4).
        offset_m: of the link's frame in the body's, shape (3,).
    """
    pose, mass = around @ values.frame(node), values.needed(node, "mass")
    moments = values.listed(node, "diaginertia", 3)
    full = values.listed(node, "fullinertia", 6)
    if len(moments) != 3 and len(full) != 6:
        values.fault(node, None, "an inertial has no moments", "diaginertia or fullinertia")
        return None
    units = values.units_of(node)
    if moments == (MASSLESS,) * 3 and mass == MASSLESS:
        return None
    if mass == 0.0 and not units.bounds_bodies:
        return None
    tensor = tensor_of(full) if len(full) == 6 else np.diag(moments)
    R = pose[:3, :3]
    whole = MassProperties(mass, pose[:3, 3] - offset_m, R @ tensor @ R.T)
    found = bounded(units, inertia_of([whole]) if mass else _massless(whole))
    if found.mass_kg == 0.0:
        return None
    nearest = nearest_inertia(found.inertia_kg_m2)
    if nearest is None:
        return found
    reason = "its principal moments are no body's; the nearest that are one's stand instead"
    values.losses.append(node.loss("inertia", moments or full, reason, named(body)))
    return inertia_of([MassProperties(found.mass_kg, np.array(found.centre_m), nearest)])


def bounded(units: ModelUnits, inertia: LinkInertia) -> LinkInertia:
    """A body's mass and moments as a model's ``compiler`` lets them be."""
    if not units.bounds_bodies:
        return inertia
    moments, axes = np.linalg.eigh(tensor_of(inertia.inertia_kg_m2))
    moments = np.maximum(moments, units.least_kg_m2)
    if units.balances and moments[2] > moments[0] + moments[1]:
        moments[:] = moments.mean()
    tensor = axes @ np.diag(moments) @ axes.T
    mass_kg = max(inertia.mass_kg, units.least_kg)
    if mass_kg == 0.0:
        return inertia
    return inertia_of([MassProperties(mass_kg, np.array(inertia.centre_m), tensor)])


def bounded_nothing(values: MjcfValues, body: XmlNode, offset_m: Array) -> LinkInertia | None:
    """Of a body that has neither an ``inertial`` nor geoms that weigh; None where it has none.

    The engine puts its centre where ``pos`` of the body points, seen from the body itself.
    """
    units = values.units_of(body)
    if not units.least_kg:
        return None
    centre_m = np.array(values.numbers(body, "pos", (0.0, 0.0, 0.0))) - offset_m
    return bounded(units, _massless(MassProperties(0.0, centre_m, np.zeros((3, 3)))))


def _massless(body: MassProperties) -> LinkInertia:
    x, y, z = body.centre_m.tolist()
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia_kg_m2.tolist()
    return LinkInertia(0.0, (x, y, z), (xx, yy, zz, xy, xz, yz))
