"""Several stations at the same time: their verbs."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hil.cli.command_summaries import TogetherCheckSummary, TogetherRunSummary
from hil.cli.stations import refuse
from hil.config.errors import ConfigError, RefusedError
from hil.config.named_files import GIVEN
from hil.run.file_kinds import TOGETHER, find_kind, scenario_kinds
from hil.run.registry import station_of_kind
from hil.run.station import Request
from hil.terminal.console import err, out, print_json, styled

if TYPE_CHECKING:
    from hil.run.part_process import PartResult, PartSettings


def refuse_for_several(path: Path, flags: list[str]) -> None:
    """Refuse options of single stations, and say what would be right."""
    right = (
        "each part has its own settings; write them into `changes` of the part, or give "
        "--set part.0.changes='[\"clock=real\"]'"
    )
    refuse(TOGETHER.name, path, flags, right)


def check_together(path: Path, overrides: list[str] | None, *, as_json: bool) -> bool:
    """Prove the motion of every part, as far as all settings are right; say whether all may run."""
    from hil.run.together import TogetherScenario

    scenario = TogetherScenario.load(path, tuple(overrides or ()))
    parts_checked: dict[str, Any] = {}
    for part in scenario.part:
        if not as_json:
            out.print(styled("bold", part.name), ": ", sep="", end="")
        parts_checked[part.name] = _check_part(part, path, as_json=as_json)
    ok = all(one["ok"] for one in parts_checked.values())
    if as_json:
        print_json(TogetherCheckSummary(ok=ok, parts=parts_checked))
    return ok


def _check_part(part: "PartSettings", beside: Path, *, as_json: bool) -> dict[str, Any]:
    """What a part's check found; it is shown as well unless JSON is wanted."""
    from hil import service
    from hil.run.part_process import given_by

    file = part.file(beside)
    path, kind = find_kind(str(file), *scenario_kinds(), key=f"part {part.name}")
    if kind is TOGETHER:
        raise ConfigError(str(file), [f"part {part.name}: several stations cannot be one part"])
    request = Request(scenario=path, options={}, overrides=part.changes, as_json=as_json)
    try:
        with GIVEN.of_document(given_by(part.changes, beside)):
            checked = service.check(station_of_kind(kind), request)
    except RefusedError as refusal:
        if not as_json:
            out.print(styled("red", "refused"))
            out.print(str(refusal), soft_wrap=True)
        return {"ok": False, "error": str(refusal)}
    if not as_json:
        checked.show()
    return {"ok": checked.ok} | dict(checked.values)


def run_together_and_print(
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
            result.name: result.values
            | {"ok": result.ok, "asked_to_stop": result.asked_to_stop}
            | ({"report": pages.get(result.name)} if report_too else {})
            for result in results
        }
        print_json(TogetherRunSummary(ok=ok, parts=parts))
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
        if "recording" in result.values:
            try:
                pages[result.name] = str(write_page(Path(result.values["recording"])))
            except RecordingError as error:  # of a part that was killed; the others have theirs
                err.print(f"{result.name}: {error}", soft_wrap=True)
    return pages


def _show_part(result: "PartResult", page: str | None) -> None:
    word = result.values.get("outcome") or result.values.get("result") or "ended"
    reason = result.values.get("reason") or result.values.get("error") or ""
    as_asked = not result.asked_to_stop or result.asked_to_stop == reason
    asked = "" if as_asked else f" (asked to stop: {result.asked_to_stop})"
    out.print(styled("green" if result.ok else "red", result.name), ": ", sep="", end="")
    out.print(f"{word}{': ' + reason if reason else ''}{asked}", soft_wrap=True)
    for what in (result.values.get("recording"), page):
        if what is not None:
            out.print(f"  {what}", soft_wrap=True)
