"""``hil world jog``: a robot jogged by keys, or by steps of the command line."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hil.config.errors import ConfigError
from hil.config.inputs import collected
from hil.config.named_files import GIVEN
from hil.run.station import Request
from hil.terminal.console import Json, verb
from hil.terminal.options import OperatorOption, OutOption, SetOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hil.stations.world.plan.scenario import WorldPlan

AXES = ("joints", "tool", "world")


@verb
@collected()
def jog(
    what: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO|ROBOT",
            help="A scenario whose robot, scene, control and law count, or a robot.",
        ),
    ],
    axes: Annotated[
        str | None,
        typer.Option(
            "--axes",
            metavar="joints|tool|world",
            help="What the keys move: six joints, or the tool along and about its axes or the "
            "world's.",
        ),
    ] = None,
    joints: Annotated[
        str | None,
        typer.Option("--joints", metavar="N,…", help="The joints, by number or name; at most six."),
    ] = None,
    step: Annotated[
        list[str] | None,
        typer.Option(
            "--step",
            metavar="WHAT:SHARE:SECONDS",
            help="Do this in place of keys, as fast as it goes: a joint's number or name, x, y, z, "
            "about_x, about_y, about_z or wait; repeatable.",
        ),
    ] = None,
    speed: Annotated[
        float, typer.Option("--speed", help="Part of the full speeds, above 0, at most 1.")
    ] = 1.0,
    overrides: SetOption = None,
    operator: OperatorOption = False,
    folder: OutOption = Path("runs"),
    as_json: Json = False,
) -> None:
    """Lead a robot by keys, in real time; let go, it comes to rest. The gate stays the last."""
    from hil import service
    from hil.stations.world.station import STATION
    from hil.terminal.run_end import show_and_leave

    plan = jog_plan(
        what, axes=axes, joints=joints, steps=step or (), speed=speed, changes=overrides or ()
    )
    request = Request(scenario=None, options={}, folder=folder, operator=operator, as_json=as_json)
    show_and_leave(service.run_plan(STATION, plan, request), as_json=as_json)


def jog_plan(
    what: str, *, axes: str | None, joints: str | None, steps: "Sequence[str]", speed: float,
    changes: "Sequence[str]" = (),
) -> "WorldPlan":  # fmt: skip
    """Plan of a robot that is jogged.

    Args:
        what: a scenario of the station, or a robot.
        steps: steps of a script; none for keys.
        speed: part of the full speeds.
        changes: changes of the scenario, ``key=value``.

    Raises:
        ConfigError: with the value and what would have been right.
    """
    from hil.stations.world.plan.scenario_reader import world_plan_from_table

    if axes is not None and axes not in AXES:
        raise ConfigError("--axes", [f"{axes!r}: one of {', '.join(AXES)} is needed"])
    if not 0.0 < speed <= 1.0:
        raise ConfigError("--speed", [f"{speed:g}: above 0, at most 1, is needed"])
    table, path = _scenario(what)
    own = table.get("motion", {})
    motion: dict[str, Any] = dict(own) if own.get("kind") == "jog" else {"kind": "jog"}
    motion |= {} if axes is None else {"axes": axes}
    motion |= {} if joints is None else {"joints": [_joint(one) for one in joints.split(",")]}
    motion["by"] = {"kind": "keyboard"}
    if steps:
        motion["by"] = {"kind": "script", "steps": [_step(one) for one in steps]}
    from hil.stations.world.plan.operator_motions import JogMotion

    for key in ("jog_deg_s", "jog_m_s", "tool_m_s", "turn_deg_s"):
        full = motion.get(key, JogMotion.model_fields[key].default)
        motion[key] = speed * full if isinstance(full, int | float) else full
    clock = "virtual" if steps else "real"
    return world_plan_from_table({**table, "motion": motion, "clock": clock}, path, changes)


def _scenario(what: str) -> tuple[dict[str, Any], Path]:
    """Table of a scenario, or one made for a robot that stands alone."""
    from hil.config.file_search import find_file
    from hil.config.settings import read_toml
    from hil.machines.world.robot_documents import robot_of

    try:
        path = find_file(what, folder="scenarios", key="SCENARIO")
        table = read_toml(path)
    except ConfigError:
        table, path = {}, Path(what)
    if table.get("station") == "world":
        return table, path
    robot_of(what, key="SCENARIO|ROBOT")
    GIVEN.take(what, "robot")
    name = Path(what.replace(":", "_")).stem
    return {"station": "world", "name": f"jog_{name}", "robot": what}, Path("jog")


def _joint(text: str) -> int | str:
    text = text.strip()
    return int(text) if text.isdecimal() else text


def _step(text: str) -> dict[str, Any]:
    what, _, rest = text.partition(":")
    share, _, seconds = rest.partition(":")
    try:
        found: dict[str, Any] = {"for_s": float(seconds), "share": float(share)}
    except ValueError:
        line = f"{text!r}: what, its share and seconds are needed, such as x:0.5:2 or 3:-1:0.5"
        raise ConfigError("--step", [line]) from None
    if what in ("x", "y", "z", "about_x", "about_y", "about_z"):
        return found | {"axis": what}
    return found if what == "wait" else found | {"joint": _joint(what)}
