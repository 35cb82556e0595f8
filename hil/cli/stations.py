"""Which station a scenario is of, and its verbs: an arm, or several stations at the same time.

An option that does nothing for a station is refused: who gives it believes that it does something.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hil.config.errors import RefusedError
from hil.config.file_kinds import FileKind, kind_of
from hil.config.settings import ConfigError, read_toml
from hil.terminal.console import err, out, print_json

if TYPE_CHECKING:
    from hil.run.part_process import PartResult, PartSettings
    from hil.stations.arm.scenario import ArmPlan


def refuse_options(path: Path | None, kind: FileKind, options: Mapping[str, Any]) -> None:
    """Refuse options that are given, but mean nothing for a kind of scenario.

    Args:
        path: the scenario; None for a motion without one.
        kind: of the scenario.
        options: name → value; None, False and empty ones are not given.

    Raises:
        ConfigError: naming the options and what would be right.
    """
    given = [name for name, value in options.items() if value]
    if not given:
        return
    remedy = {
        FileKind.ARM_SCENARIO: "an arm scenario has --clock, --arm-link, --arm-at, --fallback "
        "and --set",
        FileKind.TOGETHER_SCENARIO: "each part has its own settings; write them into `changes` of "
        "the part, or give --set part.0.changes='[\"clock=real\"]'",
    }.get(kind, "--arm-link is for the robot of an arm scenario; a platform has --drives")
    where = "command line" if path is None else str(path)
    raise ConfigError(
        where, [f"{name} means nothing for this {kind.value}: {remedy}" for name in given]
    )


def check_stations(path: Path, overrides: list[str] | None, *, as_json: bool) -> bool:
    """Prove the motion of every part; say whether all of them may run.

    Raises:
        ConfigError: if a part's settings are wrong; the other parts are not looked at then.
    """
    from hil.run.together import TogetherScenario

    scenario = TogetherScenario.load(path, tuple(overrides or ()))
    told: dict[str, Any] = {}
    for part in scenario.part:
        if not as_json:
            out.print(f"[bold]{part.name}[/]: ", end="")
        told[part.name] = _check_part(part, path, as_json=as_json)
    ok = all(one["ok"] for one in told.values())
    if as_json:
        print_json({"ok": ok, "parts": told})
    return ok


def _check_part(part: "PartSettings", beside: Path, *, as_json: bool) -> dict[str, Any]:
    """What a part's check found; it is shown as well unless JSON is wanted."""
    from hil.config.shipped import find_file

    file = find_file(part.scenario, beside=beside, folder="scenarios", key=f"part {part.name}")
    kind = kind_of(read_toml(file), str(file))
    try:
        if kind is FileKind.ARM_SCENARIO:
            from hil.stations.arm.command_line import arm_plan_of

            return _check_arm(arm_plan_of(file, overrides=list(part.changes)), as_json=as_json)
        return _check_platform(file, part.changes, as_json=as_json)
    except RefusedError as refusal:
        if not as_json:
            out.print("[red]refused[/]")
            out.print(str(refusal), markup=False, soft_wrap=True)
        return {"ok": False, "error": str(refusal)}


def _check_arm(plan: "ArmPlan", *, as_json: bool) -> dict[str, Any]:
    from hil.stations.arm.bench import prepare_plan
    from hil.stations.arm.runner import check_arm_and_show

    if not as_json:
        return {"ok": check_arm_and_show(plan, as_json=False)}
    prepared = prepare_plan(plan)
    start_deg = [math.degrees(angle) for angle in prepared.start.q_rad]
    return {
        "ok": True, "waypoints": len(prepared.steps), "margin": prepared.margin,
        "start_deg": start_deg,
    }  # fmt: skip


def _check_platform(file: Path, changes: tuple[str, ...], *, as_json: bool) -> dict[str, Any]:
    from hil.stations.platform.check import check_plan
    from hil.stations.platform.motion.build import motion_of
    from hil.stations.platform.runner import check_and_show
    from hil.stations.platform.scenario import load_plan

    plan = load_plan(file, changes)
    if not as_json:
        return {"ok": check_and_show(plan, as_json=False)}
    result = check_plan(plan, motion_of(plan))
    return {"ok": result.ok} | asdict(result)


def run_stations(
    path: Path,
    folder: Path,
    overrides: list[str] | None,
    *,
    report_too: bool,
    as_json: bool,
    operator: bool = False,
) -> bool:
    """Run several stations, show how each went, and say whether all went well."""
    from hil.run.together import TogetherScenario, run_together

    scenario = TogetherScenario.load(path, tuple(overrides or ()), operator=operator)
    if not as_json:
        err.print(f"running {', '.join(part.name for part in scenario.part)}; Ctrl-C stops all")
        if led := [part.name for part in scenario.part if part.operator]:
            err.print(f"led from panels: {', '.join(led)}; `hil panel` lists them, one window each")
    results = run_together(scenario, path, folder)
    pages = _reports(results) if report_too else {}
    ok = all(result.ok for result in results)
    if as_json:
        parts = {
            result.name: result.told
            | {"ok": result.ok, "asked_to_stop": result.asked_to_stop}
            | ({"report": pages.get(result.name)} if report_too else {})
            for result in results
        }
        print_json({"ok": ok, "parts": parts})
        return ok
    for result in results:
        _show_part(result, pages.get(result.name))
    return ok


def _reports(results: "tuple[PartResult, ...]") -> dict[str, str]:
    """The report of each part that has recorded something, by the part's name."""
    from hil.cli.recordings import write_page
    from hil.recording.header import RecordingError

    pages: dict[str, str] = {}
    for result in results:
        if "recording" in result.told:
            try:
                pages[result.name] = str(write_page(Path(result.told["recording"])))
            except RecordingError as error:  # of a part that was killed; the others have theirs
                err.print(f"{result.name}: {error}", markup=False, soft_wrap=True)
    return pages


def _show_part(result: "PartResult", page: str | None) -> None:
    word = result.told.get("outcome") or result.told.get("result") or "ended"
    reason = result.told.get("reason") or result.told.get("error") or ""
    told = not result.asked_to_stop or result.asked_to_stop == reason
    asked = "" if told else f" (asked to stop: {result.asked_to_stop})"
    out.print(f"[{'green' if result.ok else 'red'}]{result.name}[/]: ", end="")
    out.print(f"{word}{': ' + reason if reason else ''}{asked}", markup=False, soft_wrap=True)
    for what in (result.told.get("recording"), page):
        if what is not None:
            out.print(f"  {what}", markup=False, soft_wrap=True)
