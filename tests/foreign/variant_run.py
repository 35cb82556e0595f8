"""One variant against the bench's own commands, as a person gives them, and the judge of it.

`python tests/foreign/variant_run.py [NAME…]` prints the table of all variants, or of those named.
"""

import fcntl
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOREIGN = Path(__file__).parent
REPOSITORY = FOREIGN.parents[1]
sys.path[:0] = [str(FOREIGN), str(FOREIGN.parent)]

from foreign_rack import serial_numbers  # noqa: E402
from rack_bench import CHANCE, write_quick_rig  # noqa: E402
from variants import BY_NAME, VARIANTS, Variant  # noqa: E402

RATE_HZ = 100
LONGEST_S = 60.0
"""A command may last no longer, beside the boot of the drives."""
SILENCE_S = 2.0
"""Nor may the console be silent for longer while the link is open."""
WITNESS = ["--witness", "A. Judge"]
CLOSED_M = 0.64
"""Length of a leg whose rod is on its inner stop, joint to joint, in the rig's file."""
RULED_M = 0.03
"""How far a leg is led to be measured by hand."""
ATTEMPTS = 3
GIVEN_UP_S = 150.0
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-B0-2]|\x1b[=>]")
SPINNER = re.compile(r"[\u2800-\u28ff] [^\u2800-\u28ff\r\n]*")
"""One picture of what turns while somebody waits."""


@dataclass
class VerbRun:
    """What one command did."""

    verb: str
    status: int
    began_s: float
    ended_s: float
    pieces: list[tuple[float, str]]

    @property
    def text(self) -> str:
        """The console, without colours and line breaks."""
        written = ANSI.sub(" ", "".join(piece for _, piece in self.pieces))
        return " ".join(SPINNER.sub("", written).split())


@dataclass
class Outcome:
    """What a variant came to.

    Args:
        variant: its name.
        outcome: "completed", or the verb that was refused.
        seconds: of all commands.
        longest_s: of the longest command.
        silence_s: longest silence of the console while the link was open.
        silence_end_s: when it ended, from the opening of the link.
        furthest_m: furthest that the plant saw a rod get in one verb.
        words: what the last verb said at its end.
        wrong: what was expected and not seen; empty if the variant went as it should.
    """

    variant: str
    outcome: str
    seconds: float
    longest_s: float
    silence_s: float
    silence_end_s: float
    furthest_m: float
    words: str
    wrong: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    rack: list[dict[str, Any]] = field(default_factory=list)


class RackHandle:
    """The rack's process, and what it told, with the time it was heard."""

    def __init__(self, variant: Variant) -> None:
        self.lines: list[tuple[float, dict[str, Any]]] = []
        program = ["foreign_rack.py", variant.name]
        if variant.modbus is not None:
            program = ["modbus_rack.py", *map(str, variant.modbus)]
        self._process = subprocess.Popen(
            [sys.executable, str(FOREIGN / program[0]), *program[1:]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.url = json.loads(self._process.stdout.readline())["url"]
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append((time.monotonic(), json.loads(line)))

    def say(self, **command: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()

    def told(self, key: str, least: int, within_s: float = 5.0) -> list[tuple[float, dict]]:
        """All lines with a key, once there are so many of them."""
        end_s = time.monotonic() + within_s
        while True:
            found = [each for each in self.lines if key in each[1]]
            if len(found) >= least or time.monotonic() > end_s:
                return found
            time.sleep(0.02)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(5.0)
        self._thread.join(5.0)
        assert self._process.stdout is not None
        self._process.stdout.close()


def write_rig(variant: Variant, folder: Path) -> Path:
    """The rig of a variant, as its builder would write it."""
    path = write_quick_rig(folder)
    text = path.read_text(encoding="utf-8")
    for key, value in variant.supervision.items():
        text, found = re.subn(rf"(?m)^{key} = [^#\n]*", f"{key} = {toml(value)} ", text)
        assert found == 1, key
    if variant.modbus is not None:
        drives_type = {"type": str(FOREIGN / "foreign_servo.toml")}
    elif variant.file:
        drives_type = {"type": str(write_drive_file(variant, folder))}
    else:
        drives_type = {}
    drives = {
        **drives_type,
        "counts_per_m": round(variant.mechanics.counts_per_m, 3),
        "serial_numbers": serial_numbers(),
        **variant.drives,
    }
    text += "\n[drives]\n" + "".join(f"{key} = {toml(value)}\n" for key, value in drives.items())
    if variant.canopen:
        lines = (f"{key} = {toml(value)}\n" for key, value in variant.canopen.items())
        text += "\n[drives.canopen]\n" + "".join(lines)
    path.write_text(text, encoding="utf-8")
    return path


def write_drive_file(variant: Variant, folder: Path) -> Path:
    """The drive file of a variant's builder."""
    header = {"name": variant.name, "maker": "nobody", "protocol": "canopen"}
    header |= {"source": "tests/foreign/variants.py", "tried_on_metal": False}
    text = ""
    for table, entries in {"drive": header, **variant.file}.items():
        text += f"[{table}]\n" + "".join(f"{key} = {toml(v)}\n" for key, v in entries.items())
    path = folder / "own_drive.toml"
    path.write_text(text, encoding="utf-8")
    return path


def toml(value: Any) -> str:
    """A value as TOML has it: JSON's form will do for what rigs hold."""
    return json.dumps(value)


def command_of(verb: str, rig: Path, url: str) -> list[str]:
    """What a person types."""
    drives = ["--drives", url, "--rate", str(RATE_HZ), "--out", "runs"]
    match verb:
        case "home":
            return ["drives", "home", str(rig), *drives]
        case "test":
            return ["drives", "test", str(rig), *WITNESS, *drives]
        case "reference":
            return ["drives", "reference", str(rig), "--by", WITNESS[-1], *drives[:4]]
        case "jog":
            return ["drives", "jog", str(rig), "--by", str(RULED_M), *drives]
    sets = {
        "rig": rig,
        "rate_hz": RATE_HZ,
        "motion.duration_s": 2,
        "motion.fade_s": 0.5,
        "motion.terms.0.amplitude_m": 0.02,
        "motion.terms.0.frequency_hz": 0.5,
    }
    words = [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]
    return ["run", "heave", "--drives", url, "--clock", "real", "--out", "runs", *words]


def reference_words(rack: RackHandle) -> list[str]:
    """Where a person sees the rods: lengths measured by hand, to a tenth of a millimetre."""
    seen = len(rack.told("places_m", 0, 0.0))
    rack.say(tell="places")
    (places,) = [line["places_m"] for _, line in rack.told("places_m", seen + 1)][-1:]
    return ["--at", ",".join(f"{CLOSED_M + place:.4f}" for place in places)]


def type_in(verb: str, words: list[str], folder: Path) -> VerbRun:
    """Run a command on a terminal of its own and keep what it writes, with times."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 400, 0, 0))
    home = {"XDG_STATE_HOME": folder / "state", "XDG_RUNTIME_DIR": folder}
    environment = os.environ | {key: str(value) for key, value in home.items()}
    environment |= {"PYTHONPATH": str(REPOSITORY), "TERM": "xterm", "COLUMNS": "400"}
    began_s = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "hil.cli", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env=environment,
        start_new_session=True,
    )
    os.close(theirs)
    pieces: list[tuple[float, str]] = []
    while time.monotonic() - began_s < GIVEN_UP_S:
        ready, _, _ = select.select([ours], [], [], 0.1)
        if ready:
            try:
                data = os.read(ours, 65536)
            except OSError:  # EIO: its last writer has gone
                break
            pieces.append((time.monotonic(), data.decode("utf-8", "replace")))
        elif process.poll() is not None:
            break
    else:
        process.terminate()
    status = process.wait(10.0)
    os.close(ours)
    return VerbRun(verb, status, began_s, time.monotonic(), pieces)


def silence(run: VerbRun, rack: RackHandle) -> tuple[float, float]:
    """Longest time without a word and without motion while the link was open, and its end [s]."""
    lines = [(at, line) for at, line in rack.lines if at >= run.began_s]
    came = [at for at, line in lines if "came" in line]
    if not came:
        return 0.0, 0.0
    went = [at for at, line in lines if "went" in line]
    end_s = went[-1] if went else run.ended_s
    marks = [(at, None) for at, _ in run.pieces]
    marks += [(at, line["moving"]) for at, line in lines if "moving" in line]
    longest, since_s, moving = (0.0, 0.0), came[0], False
    for at, moves in sorted([*marks, (end_s, None)], key=lambda mark: mark[0]):
        if came[0] < at <= end_s:
            longest = longest if moving else max(longest, (at - since_s, at - came[0]))
            since_s = at
            moving = moving if moves is None else moves
    return longest


def run_once(variant: Variant) -> Outcome:
    """All verbs of a variant, up to the first that is refused."""
    folder = Path(tempfile.mkdtemp(prefix="hil-foreign-"))
    rack = RackHandle(variant)
    try:
        rig = write_rig(variant, folder)
        runs: list[VerbRun] = []
        quiet = (0.0, 0.0)
        for verb in variant.steps:
            if verb in ("push", "pull"):
                sense = 1.0 if verb == "push" else -1.0
                rack.say(push=[(leg, sense * way_m) for leg, way_m in variant.pushed])
                continue
            if verb == "rule":
                runs += rule(rig, rack, folder)
                if runs[-1].status:
                    break
                continue
            seen = len(rack.told("came", 0, 0.0))
            words = command_of(verb, rig, rack.url)
            if verb == "reference":
                words += reference_words(rack)
            runs.append(type_in(verb, words, folder))
            hosts = len(rack.told("came", seen, 0.0))
            rack.told("host", hosts)
            quiet = max(quiet, silence(runs[-1], rack))
            if runs[-1].status:
                break
    finally:
        rack.close()
        shutil.rmtree(folder, ignore_errors=True)
    told = [line for _, line in rack.lines if "host" in line]
    last = runs[-1]
    outcome = Outcome(
        variant.name,
        "completed" if last.status == 0 else f"refused by {last.verb}",
        sum(run.ended_s - run.began_s for run in runs),
        max(run.ended_s - run.began_s for run in runs),
        *quiet,
        max((max(line["furthest_m"]) for line in told), default=0.0),
        last.text[-1500:],
        console=[
            f"$ {run.verb} → {run.status} after {run.ended_s - run.began_s:.1f} s: {run.text}"
            for run in runs
        ],
        rack=told,
    )
    outcome.wrong = judged(variant, last, outcome)
    return outcome


def rule(rig: Path, rack: RackHandle, folder: Path) -> list[VerbRun]:
    """Jog each leg, see with a ruler how far the rod went, and tell the bench."""
    runs: list[VerbRun] = []
    for leg in range(1, 7):
        hosts = len(rack.told("host", 0, 0.0))
        words = [*command_of("jog", rig, rack.url), "--leg", str(leg)]
        runs.append(type_in("jog", words, folder))
        if runs[-1].status:
            break
        way_m = rack.told("host", hosts + 1)[-1][1]["out_m"][leg - 1]
        recording = max((folder / "runs").glob("*/recording.mcap"), key=os.path.getmtime)
        words = ["drives", "reference", str(rig), "--by", WITNESS[-1]]
        words += ["--ruler", str(recording), "--measured", f"{way_m:.4f}"]
        runs.append(type_in("reference", words, folder))
        if runs[-1].status:
            break
    return runs


def judged(variant: Variant, last: VerbRun, outcome: Outcome) -> list[str]:
    """What is not as it should be."""
    wrong: list[str] = []
    completed = last.status == 0
    if completed != (variant.expect == "completed"):
        wrong.append(f"expected {variant.expect}")
    if "Traceback" in last.text:
        wrong.append("a traceback")
    if variant.expect == "refused":
        missing = [word for word in variant.words if not re.search(word, last.text)]
        if missing:
            wrong.append(f"the words lack {missing}")
        if outcome.rack and max(outcome.rack[-1]["furthest_m"]) > variant.bound_m:
            wrong.append(f"a rod moved further than {variant.bound_m * 1e3:g} mm")
    under_power = outcome.rack and any(outcome.rack[-1]["powered"])
    if under_power and (completed or variant.left_off):
        wrong.append("left a drive under power")
    if any(any(line["errors_after"]) for line in outcome.rack):
        wrong.append("left the bus with new faults in the drives")
    if outcome.longest_s > LONGEST_S + variant.boot_s:
        wrong.append(f"a command lasted longer than {LONGEST_S + variant.boot_s:g} s")
    if outcome.silence_s > SILENCE_S:
        wrong.append(f"silent for longer than {SILENCE_S:g} s")
    return wrong


def run_variant(variant: Variant) -> Outcome:
    """A variant, repeated if the machine was too busy for real time; the last attempt counts."""
    for _ in range(ATTEMPTS - 1):
        outcome = run_once(variant)
        unlucky = outcome.outcome != "completed" and CHANCE.search(outcome.words)
        if not outcome.wrong or not unlucky:
            return outcome
    return run_once(variant)


def table_line(outcome: Outcome) -> str:
    """One row of the table."""
    good = "as expected" if not outcome.wrong else "WRONG: " + "; ".join(outcome.wrong)
    return (
        f"{outcome.variant:42} {outcome.outcome:20} {outcome.seconds:6.1f} s, "
        f"one {outcome.longest_s:5.1f} s  "
        f"silent {outcome.silence_s:4.1f} s until {outcome.silence_end_s:5.1f} s  "
        f"{outcome.furthest_m * 1e3:7.2f} mm  {good}"
    )


def main(names: list[str]) -> None:
    """Print the table, and what was said, to be read by people."""
    for variant in [BY_NAME[name] for name in names] or VARIANTS:
        outcome = run_variant(variant)
        print(table_line(outcome), flush=True)
        print(f"    {outcome.words[-600:]}", flush=True)
        if os.environ.get("FOREIGN_RACK_LINES"):
            for line in [*outcome.console, *outcome.rack]:
                print(f"    {json.dumps(line)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
