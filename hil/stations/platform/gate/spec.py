"""Building the drive bank of a `BankSpec`.

The bank is made in the process that owns the link, so it cannot be handed over as an object. What
makes it is found by the scheme of its URL, under `hil.banks`, and imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from drives.bank import DriveBank, DriveSetupError
from drives.waits import ReportWaits, ignore_waits
from hil.stations.platform.gate.bank_spec import BankSpec


def build_bank(
    spec: BankSpec, now_s: Callable[[], float], report: ReportWaits = ignore_waits
) -> DriveBank:
    """Build a bank; nothing is opened or sent before its `configure`.

    Args:
        now_s: monotonic time [s], for the deadlines of a real bus.
        report: takes now and then what `configure` waits for.

    Raises:
        DriveError: if settings, scales or URL make no bank, or that of another distribution cannot
            be used, or its code is not what control has found.
    """
    if spec.scheme == "sim":
        return _simulated(spec)
    from drives.plugin_bank import BankOrder, PluginBank
    from hil.machines.rig.offered_banks import bank_offered, bank_origin

    offer = bank_offered(spec.scheme)
    if offer is None or offer.broken:
        why = "it is not installed" if offer is None else f"{offer.words}: {offer.broken}"
        raise DriveSetupError(f"{spec.url}: the bank {spec.scheme!r} cannot be used: {why}")
    if offer.ours:
        return offer.value(spec, now_s, report)
    if bank_origin(offer) != spec.settings["origin"]:
        text = f"is {bank_origin(offer)}, and not what control has found"
        raise DriveSetupError(f"{spec.url}: the bank {text}: {spec.settings['origin']}")
    order = BankOrder.from_json(spec.settings["order"])
    return PluginBank(offer.value, order, now_s, offer.words)


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
    from hil.stations.platform.cycle.world import RigWorld, platform_plant

    world, rig = RigWorld.from_json(document["around"]), Rig.build(document["rig"], "rig")
    gains = CylinderServo(**world.servo.model_dump())
    return {"plant": platform_plant(rig, world, seed), "servo": gains}
