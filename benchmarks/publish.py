"""docs/performance.md, made of benchmarks/results.json, and the measurements of that file.

Each benchmark runs in a process of its own within a limit of time. What it measured, or why it
did not, takes the place of what the file said of it; all others stay as they are. The page is
written from the file alone, so the same file makes the same page.
"""

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.figures import FIGURES
from benchmarks.machine import machine, today
from benchmarks.rows import Row, lines_of

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
PAGE = HERE.parent / "docs" / "performance.md"
WINDOWS = {"diagram_editor", "panel", "panel_stop"}
"""Benchmarks that need a display, a virtual one if there is none."""
XVFB = ("xvfb-run", "-a", "-s", "-screen 0 1920x1200x24 -nolisten tcp")
ERROR = re.compile(r"(?!\S*CalledProcessError)[\w.]+(?:Error|Exception|Expired|Exit): \S")
"""Line that says why a program failed; a program that it started says it better."""
END_S = 10.0
"""Time that a benchmark beyond its limit has to end by itself [s]."""
HEADINGS = ("what", "median", "99 %", "peers", "ratio", "target", "key")
HEAD = """\
# Performance

Written by `python -m benchmarks --publish` from `benchmarks/results.json`; other documents have no
measured speeds. A figure is a median unless its row says otherwise; times with *processor* in their
row are processor time. A peer was measured in the same run. The ratio is the peer's time by ours,
or our rate by the peer's: above 1 ours is faster; in a row called `a / b` it is that. The load is
the number of processes that wanted a processor when the benchmark began, those of other programs
too. A target that was missed is printed like one that was met.
"""
Entry = dict[str, Any]
"""Machine, date, load and time of a run [s] with its `figures`, or the `reason` why it has none."""


def measured(name: str, options: Sequence[str], limit_s: float) -> Entry:
    """Run one benchmark in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        command = [sys.executable, "-m", "benchmarks", f"--only={name}", f"--json={file}"]
        command += options
        has_display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
        if name in WINDOWS and not has_display and shutil.which(XVFB[0]):
            command = [*XVFB, *command]
        entry = {"machine": machine(), "date": today(), "load": round(os.getloadavg()[0], 1)}
        entry["options"] = list(options)
        began_s = time.monotonic()
        reason = run_limited(command, limit_s)
        entry["seconds"] = round(time.monotonic() - began_s)
        figures = {} if reason else json.loads(file.read_text("utf-8"))[name]
    return entry | outcome(figures, reason)


def run_limited(command: Sequence[str], limit_s: float) -> str:
    """Run a command and end all of its processes; return why it failed, or nothing."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stderr=said, cwd=HERE.parent, start_new_session=True)
        try:
            process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return f"not over within {limit_s:g} s"
        finally:
            for number in (signal.SIGTERM, signal.SIGKILL):
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, number)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(END_S)
        if process.returncode == 0:
            return ""
        said.seek(0)
        text = said.read().decode(errors="replace")
    sys.stderr.write(text)
    errors = [line for line in text.splitlines() if ERROR.match(line)]
    last = next(reversed(errors), f"ended with status {process.returncode}")
    return last.replace(f"{HERE.parent}/", "")[:200]


def outcome(figures: Mapping[str, Any], reason: str = "") -> Entry:
    """Figures of a benchmark, or the reason that it gives for having none."""
    reason = reason or figures.get("skipped", "")
    return {"reason": reason} if reason else {"figures": _rounded(figures)}


def imported(file: Path, names: Iterable[str]) -> dict[str, Entry]:
    """Results of a file of `make bench`, or of one like benchmarks/results.json."""
    results = json.loads(file.read_text("utf-8"))
    facts = {key: results.pop(key) for key in ("machine", "date") if key in results}
    if not facts:
        return {name: results[name] for name in names if name in results}
    if "date" not in facts:
        raise SystemExit(f"{file} does not say when it was measured (`date`): measure anew")
    return {name: facts | outcome(results[name]) for name in names if name in results}


def write(names: Sequence[str], new: Mapping[str, Entry]) -> None:
    """Merge results into the file of results, and write the page."""
    known = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    merged = {name: {**known, **new}[name] for name in names if name in known or name in new}
    RESULTS.write_text(json.dumps(merged, indent=1, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(page(names, merged), "utf-8")
    print(f"{', '.join(new) or 'nothing'} → {RESULTS}, {PAGE}", flush=True)


def page(names: Sequence[str], results: Mapping[str, Entry]) -> str:
    """Return the whole page: machines, a table for each benchmark, and those that were not run."""
    machines: list[dict[str, Any]] = []
    for name in names:
        if name in results and results[name]["machine"] not in machines:
            machines.append(results[name]["machine"])
    rows = [
        [chr(ord("A") + at), one["cpu"], one["cores"], one["kernel"], one["python"], one["build"]]
        for at, one in enumerate(machines)
    ]
    parts = [HEAD, table(("machine", "CPU", "cores", "kernel", "Python", "build"), rows)]
    for name in names:
        entry, command = results.get(name), f"python -m benchmarks --only {name}"
        if entry is None:
            parts.append(f"## {name}\n\n{about(name)}\n\nNot run: `{command}`.\n")
            continue
        letter = chr(ord("A") + machines.index(entry["machine"]))
        extra = [f"{entry['seconds']} s"] if "seconds" in entry else []
        extra += [f"load {entry['load']}"] if "load" in entry else []
        where = ", ".join([entry["date"], f"machine {letter}", *extra])
        command = " ".join([command, *entry.get("options", ())])
        parts.append(f"## {name}\n\n{about(name)}\n\n`{command}`: {where}.\n")
        if "reason" in entry:
            parts.append(f"Not measured: {_cell(entry['reason'])}.\n")
        else:
            parts.append(table(HEADINGS, rows_of(name, FIGURES[name], entry["figures"])))
    return "\n".join(parts)


def about(name: str) -> str:
    """First sentence of a benchmark's docstring, without its command."""
    text = ast.get_docstring(ast.parse((HERE / f"bench_{name}.py").read_text("utf-8"))) or ""
    return re.sub(r":? (--only|python) .*", ".", text.splitlines()[0])


def rows_of(name: str, rows: Iterable[Row], figures: Mapping[str, Any]) -> list[list[str]]:
    """Cells of the rows of a benchmark, without the columns' words."""
    made = []
    for line in (line for row in rows for line in lines_of(row, figures)):
        key = re.sub(r"[^a-z0-9]+", "_", line[0].lower()).strip("_")
        made.append([*line, f"`{name}.{key}`"])
    return made


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join(f"| {' | '.join(_cell(one) for one in line)} |\n" for line in lines)


def _cell(value: object) -> str:
    return " ".join(str(value).replace("|", "\\|").split())


def _rounded(value: Any) -> Any:
    """The same with six digits of each number, so that the file stays small."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list) else value
