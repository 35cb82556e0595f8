"""Which station a scenario is of: a platform, an arm, or several at the same time."""

from pathlib import Path
from typing import TYPE_CHECKING

from hil.console import err, out, print_json
from hil.settings import ConfigError, read_toml
from hil.shipped import find_file

if TYPE_CHECKING:
    from hil.arm_scenario import ArmPlan

ARM = "arm"
TOGETHER = "together"


def station_of(scenario: str | None) -> str:
    """Which station a scenario is of; empty for a platform."""
    if scenario is None:
        return ""
    return str(
        read_toml(find_file(scenario, folder="scenarios", key="SCENARIO")).get("station", "")
    )


def run_stations(name: str, folder: Path, overrides: list[str] | None, *, as_json: bool) -> bool:
    """Run several stations, show how each went, and say whether all went well."""
    from hil.together import TogetherScenario, run_together

    path = find_file(name, folder="scenarios", key="SCENARIO")
    scenario = TogetherScenario.load(path, tuple(overrides or ()))
    if not as_json:
        err.print(f"running {', '.join(part.name for part in scenario.part)}; Ctrl-C stops all")
    results = run_together(scenario, path, folder)
    ok = all(result.ok for result in results)
    if as_json:
        parts = {
            result.name: result.told | {"ok": result.ok, "asked_to_stop": result.asked_to_stop}
            for result in results
        }
        print_json({"ok": ok, "parts": parts})
        return ok
    for result in results:
        word = result.told.get("outcome") or result.told.get("result") or "ended"
        reason = result.told.get("reason") or result.told.get("error") or ""
        asked = f" (asked to stop: {result.asked_to_stop})" if result.asked_to_stop else ""
        out.print(f"[{'green' if result.ok else 'red'}]{result.name}[/]: ", end="")
        out.print(f"{word}{': ' + reason if reason else ''}{asked}", markup=False, soft_wrap=True)
        if "recording" in result.told:
            out.print(f"  {result.told['recording']}", markup=False, soft_wrap=True)
    return ok


def arm_plan_of(
    scenario: str | None,
    clock: str | None,
    arm_link: str | None,
    fallback: str | None,
    overrides: list[str] | None,
) -> "ArmPlan | None":
    """The plan of an arm station, or None if the scenario is one of a platform."""
    if scenario is None:
        return None
    path = find_file(scenario, folder="scenarios", key="SCENARIO")
    table = read_toml(path)
    if table.get("station") != ARM:
        if arm_link is not None:
            raise ConfigError("--arm-link", [f"{path}: is no scenario of an arm station"])
        return None
    from hil.arm_scenario import arm_plan_from_table

    changes = list(overrides or ())
    if arm_link is not None:
        changes.append(f'devices.arm="{arm_link}"')
        if arm_link != "sim:" and clock is None:
            changes.append('clock="real"')
    if clock is not None:
        changes.append(f'clock="{clock}"')
    if fallback is not None:
        changes.append(f'devices.fallback="{fallback}"')
    return arm_plan_from_table(table, path, changes)
