"""Catalogues of electric cylinders: rows of makers' data sheets, read from ``configs/cylinders/``.

Every key carries its unit. A row is a size of a series with its lead; the stroke is bought.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from pydantic import Field

from hil.config.errors import ConfigError, Wrong, about
from hil.config.fields import Force, Length, Positive, Speed
from hil.config.file_search import shipped_paths
from hil.config.settings import Settings, read_toml
from hil.machines.rig.body_tables import AtLeastZero, Kilograms, Share, ShareAboveZero

Diameter = Annotated[float, Field(gt=0.0, le=0.5)]
"""Half a metre is no screw, but a wrong unit [m]."""
Lead = Annotated[float, Field(gt=0.0, le=0.2)]
Text = Annotated[str, Field(min_length=1, max_length=200)]


class CylinderSettings(Settings):
    """An electric cylinder: a size of a series, with one screw."""

    maker: Text
    """Maker."""
    series: Text
    """Series, as the maker calls it."""
    variant: Text
    """Size and screw within the series."""
    stroke_max_m: Length
    """Longest stroke that can be bought [m]."""
    dead_length_m: Length
    """Length joint to joint with the rod in, less the stroke: motor, nut and ends [m]."""
    speed_max_m_s: Speed
    """Largest speed of the rod [m/s]."""
    force_peak_n: Force
    """Largest force along the rod [N]."""
    force_continuous_n: Force
    """Largest root mean square of the force [N]."""
    screw_lead_m: Lead
    """Path of the rod per turn [m]."""
    screw_root_m: Diameter
    """Diameter of the screw's root [m]."""
    rod_m: Diameter
    """Diameter of the rod [m]."""
    dynamic_rating_n: Annotated[float, Field(gt=0.0, le=1e7)]
    """Dynamic rating C of the screw's nut [N]."""
    efficiency: ShareAboveZero
    """Efficiency of the screw that drives its load; also of one that is driven, unless given."""
    efficiency_back: Share | None = None
    """Efficiency of the screw that its load drives; 0 if it locks itself."""
    tube_kg: Kilograms | None = None
    """Mass of what swings and does not slide, taken as uniform over the closed length [kg]."""
    rod_kg: Kilograms | None = None
    """Mass of what slides, taken as uniform over the stroke [kg]."""
    rotor_kg_m2: AtLeastZero | None = None
    """Moment of rotor, coupling and screw about the screw's axis [kg m²]."""
    coulomb_n: AtLeastZero | None = None
    """Coulomb friction along the rod [N]."""
    viscous_n_s_m: AtLeastZero | None = None
    """Viscous friction along the rod [N s/m]."""
    torque_constant_nm_a: Positive | None = None
    """Torque of the motor by the effective current of a phase [N m/A]."""
    winding_ohm: AtLeastZero | None = None
    """Resistance of a phase [ohm]."""
    torque_continuous_nm: Positive | None = None
    """Torque at the screw that the motor bears all the time, as an effective value [N m]."""
    torque_peak_nm: Positive | None = None
    """Largest torque at the screw, of its motor or of its journal [N m]."""
    estimated: Annotated[tuple[Text, ...], Field(max_length=30)] = ()
    """Keys of this row that the source does not give, and that were estimated."""


OPTIONAL: Final = (
    "tube_kg", "rod_kg", "rotor_kg_m2", "coulomb_n", "viscous_n_s_m", "torque_constant_nm_a",
    "winding_ohm", "torque_continuous_nm", "torque_peak_nm",
)  # fmt: skip
"""Keys without which a figure of a cylinder is less than it could be."""


class CylinderCatalogue(Settings):
    """Catalogue of electric cylinders, and where its figures are from."""

    source: Text
    """Where the figures are from, and how sure they are."""
    checked: bool
    """Whether somebody compared them with the maker's sheet; false: do so before an order."""
    cylinder: Annotated[tuple[CylinderSettings, ...], Field(min_length=1, max_length=1000)]
    """The cylinders."""


class ListedCylinder(NamedTuple):
    """A cylinder of a catalogue."""

    cylinder: CylinderSettings
    """Figures of the cylinder."""
    checked: bool
    """Whether somebody compared them with the maker's sheet."""

    @property
    def name(self) -> str:
        """Maker, series and size."""
        one = self.cylinder
        series = "" if one.variant.startswith(one.series) else f"{one.series} "
        return f"{one.maker} {series}{one.variant}"

    @property
    def not_given(self) -> list[str]:
        """Keys that the row leaves out and that a figure would need."""
        return [key for key in OPTIONAL if getattr(self.cylinder, key) is None]


def check_catalogue(catalogue: CylinderCatalogue, source: str) -> None:
    """Check what no single key of a row can say.

    Raises:
        ConfigError: naming the keys, the values and the remedy.
    """
    wrong = [*_wrong_rows(catalogue)]
    if wrong:
        raise ConfigError(source, wrong)


def _wrong_rows(catalogue: CylinderCatalogue) -> Iterator[Wrong]:
    for number, one in enumerate(catalogue.cylinder):
        row = f"cylinder.{number}"
        if one.force_continuous_n > one.force_peak_n:
            yield about(
                f"{row}.force_continuous_n",
                f"{row}.force_continuous_n = {one.force_continuous_n:g} is above force_peak_n = "
                f"{one.force_peak_n:g}: no force can last that cannot be reached",
            )
        if one.screw_root_m > one.rod_m:
            yield about(
                f"{row}.screw_root_m",
                f"{row}.screw_root_m = {one.screw_root_m:g} is above rod_m = {one.rod_m:g}: the "
                f"screw goes into the rod",
            )
        peak, lasting = one.torque_peak_nm, one.torque_continuous_nm
        if peak is not None and lasting is not None and lasting > peak:
            yield about(
                f"{row}.torque_continuous_nm",
                f"{row}.torque_continuous_nm = {lasting:g} is above torque_peak_nm = {peak:g}: no "
                f"torque can last that cannot be reached",
            )
        if (one.torque_constant_nm_a is None) != (one.winding_ohm is None):
            yield about(
                f"{row}.winding_ohm",
                f"{row}: torque_constant_nm_a and winding_ohm say together what the windings lose: "
                f"give both, or neither",
            )
        for key in one.estimated:
            if key not in CylinderSettings.model_fields or getattr(one, key) is None:
                yield about(
                    f"{row}.estimated",
                    f"{row}.estimated: {key!r} is no key of this row; name keys that are written "
                    f"in it",
                )


def load_catalogue(paths: Iterable[Path] | None = None) -> list[ListedCylinder]:
    """Read catalogues; the shipped ones if none are given.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    found: list[ListedCylinder] = []
    for path in shipped_paths("cylinders") if paths is None else paths:
        catalogue = CylinderCatalogue.build(read_toml(path), str(path))
        check_catalogue(catalogue, str(path))
        found += [ListedCylinder(one, catalogue.checked) for one in catalogue.cylinder]
    return found
