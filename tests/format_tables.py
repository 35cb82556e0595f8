"""The tables of docs/formats.md, made of the code: topics, columns, keys of `--json`.

`python tests/format_tables.py` writes them anew; tests/test_formats.py says when that is due. They
stand between marks, what stands around them is written by hand.
"""

import ast
import dataclasses
import importlib
import inspect
import itertools
import re
import sys
import textwrap
import types
import typing
from functools import cache
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "formats.md"
PLATFORM, ARM = "hil.stations.platform.proof.summaries", "hil.stations.arm.arm_summaries"
TORQUES = "hil.stations.arm.commands.torque_summaries"
WORKSPACE = "hil.stations.platform.proof.workspace_summaries"
ACCURACY = "hil.stations.platform.proof.accuracy_summaries"
DRIVES = "hil.stations.platform.commissioning.drive_summaries"
FORCES = "hil.stations.platform.proof.force_summaries"
WORLD = "hil.stations.world.robots.robot_summaries"
TASK = "hil.stations.task.report.summaries"
WORLD_RUNS = "hil.stations.world.report.summaries"
RIDE = "hil.stations.simulator.run.ride_summaries"
HOST = "hil.stations.simulator.listening.host_summaries"
CUE = "hil.stations.simulator.cue.summaries"
PROGRAM = "hil.cli.command_summaries"
RUN = (
    f"{PLATFORM}:RunSummary",
    f"{ARM}:ArmRunSummary",
    f"{WORLD_RUNS}:WorldRunSummary",
    f"{PROGRAM}:TogetherRunSummary",
    f"{TASK}:TaskRunSummary",
)
CHECK = (
    f"{PLATFORM}:CheckSummary",
    f"{ARM}:ArmCheckSummary",
    f"{WORLD_RUNS}:WorldCheckSummary",
    f"{RIDE}:RideCheckSummary",
    f"{PROGRAM}:TogetherCheckSummary",
    f"{TASK}:TaskCheckSummary",
)
ALONE = (f"{ARM}:MoveSummary", f"{ARM}:NothingSummary")
FMU = "hil.stations.simulator.commands.fmu_summaries"
DIAGRAM = "hil.diagram.show.summaries"
LAWS = "hil.diagram.show.law_summaries"
EXERCISE = "hil.diagram.exercises.exercise_summaries"
CAMPAIGN = "hil.campaign.campaign_summaries"
VERBS = {
    "hil run": RUN,
    "hil check": CHECK,
    "hil report": (f"{PROGRAM}:ReportSummary",),
    "hil export": (f"{PROGRAM}:ExportSummary",),
    "hil stations": (f"{PROGRAM}:StationsSummary",),
    "hil list": (f"{PROGRAM}:ShippedFilesSummary",),
    "hil doctor": (f"{PROGRAM}:DoctorSummary",),
    "hil panel": (f"{PROGRAM}:PanelSummary",),
    "hil warm": (f"{PROGRAM}:WarmSummary",),
    "hil platform ik": (f"{PLATFORM}:InverseSummary",),
    "hil platform forces": (f"{FORCES}:ForcesSummary",),
    "hil platform fk": (f"{PLATFORM}:ForwardSummary",),
    "hil platform extremes": (f"{PLATFORM}:ExtremesSummary",),
    "hil platform sample": (f"{PLATFORM}:SampleSummary",),
    "hil platform map": (f"{WORKSPACE}:MapSummary",),
    "hil platform prove": (f"{WORKSPACE}:ProveSummary",),
    "hil platform accuracy": (f"{ACCURACY}:PointAccuracySummary",),
    "hil platform size": ("hil.stations.platform.proof.sizing_summaries:SizingSummary",),
    "hil platform design": ("hil.stations.platform.proof.design_summaries:DesignSummary",),
    "hil drives scan": (f"{DRIVES}:ScanSummary",),
    "hil drives check-type": (f"{DRIVES}:CheckTypeSummary",),
    "hil drives check-bank": (f"{DRIVES}:CheckBankSummary",),
    "hil drives faults": (f"{DRIVES}:FaultsSummary",),
    "hil drives home": (f"{DRIVES}:HomeSummary",),
    "hil drives jog": RUN[:1],
    "hil drives park": RUN[:1],
    "hil drives test": (f"{DRIVES}:LegTestSummary",),
    "hil drives reference": (f"{DRIVES}:ReferenceSummary",),
    "hil fmu info": (f"{FMU}:FmuInfoSummary",),
    "hil fmu check": (f"{FMU}:FmuCheckSummary",),
    "hil fmu run": (f"{FMU}:FmuRunSummary",),
    "hil fmu export": (f"{FMU}:FmuExportSummary",),
    "hil arm check": CHECK[1:2],
    "hil arm run": RUN[1:2],
    "hil arm goto": ALONE,
    "hil arm jog": ALONE[:1],
    "hil arm play": ALONE,
    "hil arm identify": (f"{ARM}:IdentifiedSummary",),
    "hil arm fk": (f"{ARM}:RobotPlaceSummary", f"{ARM}:SpacePlaceSummary"),
    "hil arm ik": (f"{ARM}:PosturesSummary", f"{ARM}:FoundPlaceSummary"),
    "hil world list": (f"{WORLD}:RobotsSummary",),
    "hil world show": (f"{WORLD}:RobotSummary", f"{WORLD}:SceneSummary"),
    "hil world check": (
        f"{WORLD}:RobotCheckSummary",
        f"{WORLD}:SceneCheckSummary",
        f"{WORLD}:ScenarioCheckSummary",
    ),
    "hil world convert": (f"{WORLD}:ConvertedSummary",),
    "hil world fk": (f"{WORLD}:EndsSummary",),
    "hil world ik": (f"{WORLD}:PoseReachedSummary",),
    "hil world jog": RUN[2:3],
    "hil cue ride": (f"{CUE}:RideScoreSummary",),
    "hil cue check": (f"{CUE}:CueCheckSummary",),
    "hil cue axes": (f"{CUE}:CueAxesSummary",),
    "hil cue tune": (f"{CUE}:CueTuneSummary",),
    "hil cue compare": (f"{CUE}:CueCompareSummary",),
    "hil cue omct": (f"{CUE}:CueOmctSummary",),
    "hil host list": (f"{HOST}:HostListSummary",),
    "hil host listen": (f"{HOST}:HostListenSummary",),
    "hil host check": (f"{HOST}:HostCheckSummary",),
    "hil host record": (f"{HOST}:HostRecordSummary",),
    "hil host latency": ("hil.stations.simulator.cue.latency_run:LatencySummary",),
    "hil world rerun": (f"{WORLD_RUNS}:RerunSummary",),
    "hil campaign run": (f"{CAMPAIGN}:CampaignSummary",),
    "hil campaign replay": (f"{CAMPAIGN}:ReplaysSummary",),
    "hil diagram check": (f"{DIAGRAM}:DiagramCheckSummary",),
    "hil diagram bench": (f"{DIAGRAM}:DiagramBenchSummary",),
    "hil diagram run": (f"{DIAGRAM}:DiagramRunSummary",),
    "hil diagram explain": (f"{DIAGRAM}:ExplainSummary",),
    "hil diagram blocks": (f"{DIAGRAM}:BlocksSummary",),
    "hil diagram draw": (f"{DIAGRAM}:DrawSummary",),
    "hil diagram diff": (f"{LAWS}:DiagramDiffSummary",),
    "hil diagram exercise list": (f"{EXERCISE}:ExercisesSummary",),
    "hil diagram exercise new": (f"{EXERCISE}:ExerciseNewSummary",),
    "hil diagram exercise check": (
        f"{EXERCISE}:ExerciseCheckSummary",
        f"{EXERCISE}:ExerciseFolderSummary",
    ),
    "hil diagram exercise run": (f"{EXERCISE}:ExercisePracticeSummary",),
    "hil diagram linear": (f"{LAWS}:LinearSummary",),
    "hil diagram signals": (f"{DIAGRAM}:DiagramEndsSummary",),
    "hil arm advance": (f"{ARM}:AdvanceSummary",),
    "hil arm id": (f"{TORQUES}:ArmTorquesSummary", f"{TORQUES}:ArmMotionTorquesSummary"),
    "hil arm cost": (f"{TORQUES}:ArmCostSummary",),
    "hil arm simplify": ("hil_arm_study.simplify_command:SimplifySummary",),
    "hil arm table": ("hil_arm_study.commands:TableSummary",),
}
"""Verb → the forms of its object."""
OF_TASKS = ("hil.stations.task.valve.valve_figures:ValveFigures",)
MORE = {f"{TASK}:TaskRunSummary": OF_TASKS, f"{TASK}:TaskCheckSummary": OF_TASKS}
"""Form → forms of further keys, which one of several plug-ins adds."""
REFUSED = f"{PLATFORM}:RefusedSummary"
WORDS = {bool: "true or false", int: "whole number", float: "number", str: "text", None: "null"}


def form_of(place):
    """A form by its module and name."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def forms():
    """Form → verbs that print it, in order."""
    found = {}
    for verb, places in VERBS.items():
        for place in places:
            found.setdefault(place, []).append(verb)
    return found


def rows_of(kind):
    """Key, what it is and what it means, of each key of a form and of the objects inside it.

    Keys that may be left out come last.
    """
    for name, (hint, meaning) in sorted(
        fields(kind).items(), key=lambda item: optional(item[1][0])
    ):
        left_out = optional(hint)
        hint = typing.get_args(hint)[0] if left_out else hint
        yield name, words(hint) + (", may be left out" if left_out else ""), meaning
        for below, inner in objects(hint):
            for key, what, told in rows_of(inner):
                yield f"{name}{below}.{key}", what, told


def optional(hint):
    """Whether a key of this type may be left out."""
    return typing.get_origin(hint) is typing.NotRequired


def objects(hint):
    """Objects inside a type, with the way to them: a list is `[]`, any name is `.*`."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if is_object(hint):
        yield "", hint
    elif origin in (typing.Union, types.UnionType):
        for one in arguments:
            yield from objects(one)
    elif origin in (list, tuple):
        yield from ((f"[]{below}", inner) for below, inner in objects(arguments[0]))
    elif origin is dict:
        yield from ((f".*{below}", inner) for below, inner in objects(arguments[1]))


def is_object(hint):
    return isinstance(hint, type) and (
        dataclasses.is_dataclass(hint)
        or typing.is_typeddict(hint)
        or hasattr(hint, "model_fields")
        or hasattr(hint, "_fields")
    )


def words(hint):
    """What a type is in JSON."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in WORDS or hint is type(None):
        return WORDS.get(hint, "null")
    if hint is typing.Any:
        return "anything"
    if is_object(hint):
        return "object"
    if origin in (typing.Union, types.UnionType):
        return " or ".join(words(one) for one in arguments)
    if origin is typing.Literal:
        return "text"
    if origin is np.ndarray:
        return "list of numbers"
    if origin in (list, tuple):
        inner = words(arguments[0])
        return f"list of {'true or false' if inner == 'true or false' else plural(inner)}"
    if origin is dict:
        return f"object of any names: {words(arguments[1])}"
    if origin is typing.Annotated:
        return words(arguments[0])
    if isinstance(hint, type) and issubclass(hint, str):
        return "text"
    raise TypeError(f"{hint!r} has no words")


def plural(inner):
    first, _, rest = inner.partition(" or ")
    many = {"whole number": "whole numbers", "list": "lists"}.get(first, f"{first}s")
    many = first.replace("list of", "lists of") if first.startswith("list of") else many
    return f"{many} or {rest}" if rest else many


@cache
def fields(kind):
    """Name → type and meaning, those of what it is made of first."""
    names = namespace(kind.__module__)
    hints = typing.get_type_hints(kind, names, names, include_extras=True)
    meanings = {}
    for base in source_of(kind).bases:  # a TypedDict does not remember its own
        above = names.get(getattr(base, "id", ""))
        if is_object(above) and above.__module__.startswith(("hil.", "drives.")):
            meanings |= {name: meaning for name, (_, meaning) in fields(above).items()}
    meanings |= docstrings(kind)
    wanted = getattr(kind, "model_fields", hints)
    return {name: (hints[name], meanings.get(name, "")) for name in hints if name in wanted}


@cache
def namespace(module):
    """Names of a module, with those that only a type checker imports."""
    loaded = importlib.import_module(module)
    names = dict(vars(loaded))
    for node in ast.parse(inspect.getsource(loaded)).body:
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            exec(compile(ast.Module(node.body, []), module, "exec"), names)
    return names


def docstrings(kind):
    """Field → the text behind it in the source."""
    body, found = source_of(kind).body, {}
    for before, node in itertools.pairwise(body):
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if text and isinstance(before, ast.AnnAssign):
            told = " ".join(inspect.cleandoc(node.value.value).split()).replace("``", "`")
            found[before.target.id] = re.sub(r"\b(None|NaN)\b", "null", told)
    return found


def source_of(kind):
    return ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]


def table(head, rows):
    """A table of Markdown."""
    lines = [f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |"]
    for row in rows:
        lines.append(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |")
    return "\n".join(lines)


def key_tables():
    """The tables of all forms."""
    parts = []
    for place, verbs in forms().items():
        kind = form_of(place)
        kinds = (kind, *map(form_of, MORE.get(place, ())))
        rows = [(f"`{key}`", what, told) for one in kinds for key, what, told in rows_of(one)]
        title = inspect.getdoc(kind).splitlines()[0].rstrip(".")
        told = ", ".join(f"`{verb}`" for verb in verbs)
        parts.append(f"### {title}\n\n{told}\n\n{table(('key', 'what', 'meaning'), rows)}")
    rows = [(f"`{key}`", what, told) for key, what, told in rows_of(form_of(REFUSED))]
    parts.append(f"### Refused\n\nany verb\n\n{table(('key', 'what', 'meaning'), rows)}")
    return "\n\n".join(parts)


def topic_table():
    """Topics of each station, and what their messages are."""
    from hil.recording.events import EVENT_SCHEMA
    from hil.recording.rows import TF_SCHEMA

    rows = []
    for signals in stations():
        names = (signals.schema_name, EVENT_SCHEMA, TF_SCHEMA)
        rows += [
            (f"`{topic}`", f"`{name}`") for topic, name in zip(signals.topics, names, strict=True)
        ]
    return table(("topic", "message"), rows)


def column_tables():
    """Fields of each station's rows."""
    parts = []
    for signals in stations():
        rows = []
        for one in signals.fields:
            many = "" if one.count == 1 else f"[{one.count}]"
            names = [f"`{name}`" for name in one.columns()] if one in signals.shown else []
            same = len(names) > 3 and ("," not in one.unit or len(names) > 7)
            columns = f"{names[0]} … {names[-1]}" if same else ", ".join(names)
            told = "; ".join(filter(None, [
                f"{one.frame} → {one.child}" if one.child else one.frame,
                ", ".join(f"{code} {name}" for code, name in enumerate(one.codes)),
                f"where `{one.there}` is 1" if one.there else "",
            ]))  # fmt: skip
            rows.append((f"`{one.name}`", f"{one.ros}{many}", one.unit, told, columns))
        head = ("field", "type", "unit", "frame, codes", "columns of the CSV")
        parts.append(f"### `{signals.topics[0]}`\n\n{table(head, rows)}")
    return "\n\n".join(parts)


def stations():
    from hil.stations.arm.signals import SIGNALS as OF_ARM
    from hil.stations.platform.signals import SIGNALS as OF_PLATFORM
    from hil.stations.simulator.signals import SIGNALS as OF_SIMULATOR

    return OF_PLATFORM, OF_ARM, OF_SIMULATOR


def versions():
    from hil.recording.header import FORMAT
    from hil.terminal.console import JSON_FORMAT

    return f"Recordings are of version {FORMAT}, what `--json` prints is of version {JSON_FORMAT}."


TABLES = {
    "versions": versions, "topics": topic_table, "columns": column_tables, "keys": key_tables,
}  # fmt: skip


def filled(text):
    """A page with its tables made anew."""
    for name, make in TABLES.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, found, rest = text.partition(begin)
        _, ended, after = rest.partition(end)
        assert found, f"{PAGE}: {begin!r} is missing"
        assert ended, f"{PAGE}: {end!r} is missing"
        text = f"{before}{begin}{make()}\n{end}{after}"
    return text


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    PAGE.write_text(filled(PAGE.read_text("utf-8")), "utf-8")
