"""Tables of a rig's masses and drives: ``[[body]]`` and ``[cylinders.drive]``.

Mark each number in the file as the others: [measured], [data sheet] or [assumed]. What follows from
them is computed in `hil.machines.rig.masses`.
"""

from typing import Annotated

from pydantic import Field

from hil.config.fields import Length, Positive, Seconds
from hil.config.settings import Settings

Kilograms = Annotated[float, Field(ge=0.0, le=1e5)]
"""Mass of a body [kg]; 100 t is another unit."""
Moment = Annotated[float, Field(ge=-1e6, le=1e6)]
"""Number of a tensor [kg m²]."""
Offset = Annotated[float, Field(ge=-20.0, le=20.0)]
"""Place on a platform [m]."""
LegPlace = Annotated[float, Field(ge=0.0, le=20.0)]
"""Distance along a leg [m]."""
AtLeastZero = Annotated[float, Field(ge=0.0, le=1e12)]
"""Number that may be 0; what is larger is another unit."""
Share = Annotated[float, Field(ge=0.0, le=1.0)]
"""Share, 0 to 1."""
ShareAboveZero = Annotated[float, Field(gt=0.0, le=1.0)]
"""Share above 0, at most 1."""


class RigBody(Settings):
    """Body fixed to the platform: platform, cabin, person, load."""

    name: Annotated[str, Field(min_length=1, max_length=40)]
    """Name for people."""
    mass_kg: Kilograms
    """Mass [kg]."""
    centre_m: tuple[Offset, Offset, Offset] = (0.0, 0.0, 0.0)
    """Centre of mass in the platform's axes [m]."""
    inertia_kg_m2: tuple[Moment, Moment, Moment, Moment, Moment, Moment]
    """Tensor about the centre, in the platform's axes: xx, yy, zz, xy, xz, yz [kg m²]."""


class RigDriveTrain(Settings):
    """Tube, rod, screw and motor of each leg; the six are alike."""

    tube_kg: Kilograms
    """Mass of tube and motor, which swing about the base's joint [kg]."""
    tube_centre_m: LegPlace
    """Distance of the tube's centre from the base's joint [m]."""
    tube_inertia_kg_m2: AtLeastZero
    """Moment of the tube about its centre, across the leg [kg m²]."""
    rod_kg: Kilograms
    """Mass of the rod, which slides [kg]."""
    rod_centre_m: LegPlace
    """Distance of the rod's centre from the platform's joint, back along the leg [m]."""
    rod_inertia_kg_m2: AtLeastZero
    """Moment of the rod about its centre, across the leg [kg m²]."""
    spin_inertia_kg_m2: AtLeastZero = 0.0
    """Moment of tube and rod about the leg [kg m²]."""
    lead_m: Length
    """Travel of the rod for a turn of the motor, gears included [m]."""
    rotor_kg_m2: AtLeastZero
    """Moment of rotor and screw, at the motor [kg m²]."""
    efficiency: ShareAboveZero
    """Efficiency of the screw that drives its load."""
    efficiency_back: Share
    """Efficiency of the screw that its load drives; 0 if it locks itself."""
    coulomb_n: AtLeastZero
    """Coulomb friction along the rod [N]."""
    viscous_n_s_m: AtLeastZero
    """Viscous friction along the rod [N s/m]."""
    stribeck_n: AtLeastZero = 0.0
    """Friction besides Coulomb's where motion begins [N]."""
    stribeck_m_s: Positive = 0.001
    """Speed by which that has fallen to 1/e [m/s]."""
    torque_constant_nm_a: Positive
    """Torque of the motor by the effective current of a phase [N m/A]."""
    winding_ohm: AtLeastZero
    """Resistance of a phase [ohm]."""
    torque_continuous_nm: Positive
    """Torque that the motor bears all the time, as an effective value [N m]."""
    torque_peak_nm: Positive
    """Largest torque of the motor [N m]."""
    thermal_s: Seconds = 10.0
    """Time over which torque and resistor are averaged for their hardest window [s]."""
    power_max_w: Positive | None = None
    """Largest electrical power of a drive [W]; left out: not judged."""
    brake_n: AtLeastZero
    """Force along the rod that the closed brake holds [N]; 0 without one."""
    resistor_w: AtLeastZero
    """Power that a drive's resistor takes all the time [W]; 0 without one."""
    resistor_peak_w: AtLeastZero
    """Power that it takes for `thermal_s` [W]."""
    axial_stiffness_n_m: Positive
    """Stiffness of a leg along itself: screw, nut, bearings, tube, joints [N/m]."""
