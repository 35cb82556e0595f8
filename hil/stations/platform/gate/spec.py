"""Specification of the bank that the gate's process builds, as data for one line of JSON.

The bank is made in the process that owns the link, so it cannot be handed over as an object. The
libraries of a bank are imported here only when that kind is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from drives.axes.known_place import KnownPlace
from drives.axes.scaling import LegScale
from drives.bank import DriveBank, DriveError, DriveModelError, DriveSetupError
from drives.waits import ReportWaits, ignore_waits

if TYPE_CHECKING:
    from drives.can.frames import FrameBus
    from drives.canopen.settings import CanopenSettings

BankKind = Literal["sim", "canopen", "modbus", "offered"]
KINDS: Final[tuple[BankKind, ...]] = get_args(BankKind)


@dataclass(frozen=True, slots=True)
class BankSpec:
    """Specification of a bank.

    Raises:
        DriveModelError: on an unknown kind, or a number of scales that fits no bank.
    """

    kind: BankKind
    """Kind of the bank."""
    url: str
    """URL of its drives."""
    name: str
    """Name of the bank, for the record of a run."""
    period_s: float
    """Period of the bus cycle [s]."""
    scales: tuple[LegScale, ...] = ()
    """Scales of the six legs; empty for `sim:`, which has no counts, and for foreign banks."""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Further settings of the kind; numbers, texts, lists and mappings only."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise DriveModelError(f"bank kind is {self.kind!r}, it must be one of {KINDS}")
        needed = 0 if self.kind in ("sim", "offered") else 6
        if len(self.scales) != needed:
            text = f"{len(self.scales)} scales for a bank of kind {self.kind}"
            raise DriveModelError(f"{text}: {needed} are needed")

    def to_json(self) -> dict[str, Any]:
        """Mapping of it that JSON can hold."""
        return {
            "kind": self.kind,
            "url": self.url,
            "name": self.name,
            "period_s": self.period_s,
            "scales": [
                [s.counts_per_m, s.sign, s.reference_length_m, s.reference_count]
                for s in self.scales
            ],
            "settings": dict(self.settings),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BankSpec:
        """Return the specification that `to_json` was made of.

        Raises:
            DriveModelError: if it makes no bank.
            KeyError: if a part is missing.
        """
        scales = tuple(
            LegScale(float(per_m), int(sign), float(length_m), reference_count=int(count))
            for per_m, sign, length_m, count in data["scales"]
        )
        return cls(
            data["kind"], data["url"], data["name"], data["period_s"], scales, data["settings"]
        )


def build_bank(
    spec: BankSpec, now_s: Callable[[], float], report: ReportWaits = ignore_waits
) -> DriveBank:
    """Build a bank; nothing is opened or sent before its `configure`.

    Args:
        now_s: monotonic time [s], for the deadlines of a real bus.
        report: takes now and then what `configure` waits for.

    Raises:
        DriveError: if settings, scales or URL make no bank.
    """
    if spec.kind == "sim":
        return _simulated(spec)
    if spec.kind == "offered":
        return _offered(spec, now_s)
    return (_canopen if spec.kind == "canopen" else _modbus)(spec, now_s, report)


def sim_settings(model: Any, faults: Any = (), seed: int = 0, **options: Any) -> dict[str, Any]:
    """Settings of a `sim` bank.

    Args:
        model: `drives.sim.cylinder_model.CylinderModel`.
        faults: `drives.sim.faults.SimFault`s.
        seed: seed of the power-up positions.
        options: further keyword arguments of `drives.sim.bank.SimulatedBank`.
    """
    values = {name: getattr(model, name) for name in type(model).__dataclass_fields__}
    return {
        "model": {
            name: value.tolist() if hasattr(value, "tolist") else value
            for name, value in values.items()
        },
        "faults": [[f.kind, f.leg, f.start_s, f.duration_s, f.value] for f in faults],
        "seed": seed,
        "options": options,
    }


def _simulated(spec: BankSpec) -> DriveBank:
    # Imported here: this bank is arithmetic on arrays, and no other one may drag numpy in.
    import numpy as np

    from drives.sim.bank import SimulatedBank, warm
    from drives.sim.cylinder_model import CylinderModel
    from drives.sim.faults import SimFault

    settings = spec.settings
    model: dict[str, Any] = {
        name: np.array(value) if isinstance(value, list) else value
        for name, value in settings["model"].items()
    }
    options: dict[str, Any] = dict(settings["options"])
    if world := settings.get("world"):
        options |= _coupled(world, settings["seed"])
    warm()  # compiled before the first cycle, not in it
    return SimulatedBank(
        CylinderModel(**model),
        spec.period_s,
        faults=tuple(SimFault(*fault) for fault in settings["faults"]),
        seed=settings["seed"],
        name=spec.name,
        url=spec.url,
        **options,
    )


def _coupled(document: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Body that couples the rods of a rig, and the servos that move it."""
    from drives.sim.coupled_cylinders import CylinderServo
    from hil.machines.rig.settings import Rig
    from hil.stations.platform.world import RigWorld, platform_plant

    world, rig = RigWorld.from_json(document["around"]), Rig.build(document["rig"], "rig")
    gains = CylinderServo(**world.servo.model_dump())
    return {"plant": platform_plant(rig, world, seed), "servo": gains}


def _canopen(spec: BankSpec, now_s: Callable[[], float], report: ReportWaits) -> DriveBank:
    from drives.canopen.settings import from_json as canopen_settings
    from drives.links import CanLink, open_can, parse_link

    settings = canopen_settings(spec.settings["drives"])
    links = [parse_link(url) for url in spec.url.split()]
    cans = [link for link in links if isinstance(link, CanLink)]
    if len(cans) != len(links) or len(cans) != settings.buses:
        text = f"{spec.url}: {settings.buses} CAN buses are needed, one URL each"
        raise DriveModelError(text)
    buses: list[FrameBus] = []
    try:
        for link in cans:
            buses.append(open_can(link, bitrate=settings.bitrate, now_s=now_s))
        return _on_buses(spec, buses, settings, now_s, report)
    except DriveError:
        for bus in buses:
            bus.shutdown()
        raise


def _on_buses(
    spec: BankSpec,
    buses: list[FrameBus],
    settings: CanopenSettings,
    now_s: Callable[[], float],
    report: ReportWaits,
) -> DriveBank:
    from drives.canopen.bank import CanopenBank

    return CanopenBank(
        buses,
        settings,
        spec.scales,
        spec.period_s,
        now_s=now_s,
        name=spec.name,
        url=spec.url,
        homing_legs=spec.settings["homing_legs"],
        cut_m_s=spec.settings.get("cut_m_s"),
        place=_place(spec),
        report=report,
    )


def _place(spec: BankSpec) -> KnownPlace | None:
    known = spec.settings.get("place")
    return None if known is None else KnownPlace.from_json(known)


def _modbus(spec: BankSpec, now_s: Callable[[], float], report: ReportWaits) -> DriveBank:
    from drives.links import ModbusRtuLink, ModbusTcpLink, parse_link
    from drives.modbus.bank import ModbusBank
    from drives.modbus.register_map import register_map_from
    from drives.modbus.settings import ModbusSettings

    link = parse_link(spec.url)
    if not isinstance(link, ModbusTcpLink | ModbusRtuLink):
        raise DriveModelError(f"{spec.url}: a Modbus URL is needed")
    return ModbusBank(
        link,
        register_map_from(spec.settings["map"], spec.settings["map_file"]),
        spec.scales,
        spec.period_s,
        settings=ModbusSettings.from_json(spec.settings["drives"]),
        now_s=now_s,
        name=spec.name,
        homing_legs=spec.settings["homing_legs"],
        cut_m_s=spec.settings.get("cut_m_s"),
        place=_place(spec),
        report=report,
    )


def _offered(spec: BankSpec, now_s: Callable[[], float]) -> DriveBank:
    """Bank of another distribution; refused if its code is not what control has found."""
    from drives.plugin_bank import BankOrder, PluginBank
    from hil.machines.rig.offered_banks import bank_offered, bank_origin

    scheme = spec.settings["scheme"]
    offer = bank_offered(scheme)
    if offer is None or offer.broken:
        why = "it is not installed" if offer is None else f"{offer.words}: {offer.broken}"
        raise DriveSetupError(f"{spec.url}: the bank {scheme!r} cannot be used: {why}")
    if bank_origin(offer) != spec.settings["origin"]:
        text = f"is {bank_origin(offer)}, and not what control has found"
        raise DriveSetupError(f"{spec.url}: the bank {text}: {spec.settings['origin']}")
    order = BankOrder.from_json(spec.settings["order"])
    return PluginBank(offer.value, order, now_s, offer.words)
