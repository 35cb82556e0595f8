"""Words of the window, its menus, its docks and its help."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "window.title": "{name} - HIL bench",
    "window.title.none": "HIL bench",
    "window.none": "No run",
    "window.what_now": (
        "{name} has ended; its pictures stay. Open its recording (Ctrl+O) to look closer, choose "
        "another bench (Ctrl+B), or run it again from Scenarios (Ctrl+5)."
    ),
    "session.lost": (
        "The desk is gone without a word. Nothing can be asked of the bench, and its dead-man is "
        "released. This panel looks for the next desk of the run."
    ),
    "session.stop_unsent": "there is no desk to hear it; the next one is asked at once",
    "session.stop_again": "the desk died before it answered; the next one is asked at once",
    "session.stop_nobody": (
        "{why}: nobody is left to answer it; use the emergency stop if anything still moves"
    ),
    "session.stop_searching": (
        "No desk hears the stop: use the emergency stop / Ctrl-C at the terminal. "
        "The run's next desk is asked at once."
    ),
    "session.stop_silent": (
        "No answer to the stop for {silent_s} s: use the emergency stop / Ctrl-C at the terminal."
    ),
    "session.cut_off": "cut off from the bench, which may still move",
    "session.cut_off_news": (
        "The desk has lost the bench, and no other desk comes. Its dead-man is released, but it "
        "may still move, and no panel can stop it: Ctrl-C at its terminal / emergency stop."
    ),
    "session.stop_cut_off": (
        "No panel can stop this bench any more, and it may still move: "
        "Ctrl-C at its terminal / emergency stop."
    ),
    "session.nobody": "{why}: nobody is left to answer it",
    "session.searching": "looking for the run's next desk",
    "session.found": "Connected to the run's next desk. Nobody owns the motion: take it anew (F9).",
    "session.gone": "its desk is gone without a word, and so is the bench",
    "window.file": "&File",
    "window.bench": "&Bench",
    "window.view": "&View",
    "window.help": "&Help",
    "window.open": "Open a recording …",
    "window.open_file": "Recordings (*.mcap)",
    "window.benches": "Benches that run …",
    "window.benches.none": "No bench runs with --operator at present.",
    "window.benches.choose": "Which bench?",
    "window.benches.one": "{name} (process {pid})",
    "window.leave": "Leave this run",
    "window.quit": "Quit",
    "window.quit.owner": "You own the motion. Closing gives it back and stops it. Close?",
    "window.leave.owner": (
        "You own the motion. Leaving this run gives it back and stops it. Leave?"
    ),
    "window.stays": (
        "{what} is ready, but you own the motion of {name}: this panel stays with it. Choose the "
        "other one when this may be left."
    ),
    "window.benches.shown": "{name} is shown already, and no other bench was chosen",
    "window.full": "Full screen",
    "window.theme": "Colours",
    "window.theme.system": "As the system",
    "window.theme.light": "Light",
    "window.theme.dark": "Dark",
    "window.theme.next": "Next colours",
    "window.layout.reset": "Put everything back in its place",
    "window.shortcuts": "Keys",
    "window.about": "Ownership, hold-to-run and stop",
    "window.about.text": (
        "<p>One panel at a time <b>owns</b> the motion; the others watch. Any panel may stop."
        "</p><p>The legs move only while the owner <b>holds</b> the space bar or the button. Let"
        " go, look at another window, or lose this one: the stop begins within 0.2 s."
        " After a stop nothing moves until Park is pressed.</p><p><b>Esc</b> or <b>F12</b> stops,"
        " wherever the focus is.</p><p>This stop is software. It does not take the place of the"
        " emergency stop that is wired to the power.</p>"
    ),
    "window.failed": "The panel has a fault of its own and lets go: {why}",
    "window.faulty": (
        "This panel has a fault of its own: what it shows may be wrong. It stopped the motion that "
        "it owned, if any, and gave it back. Close it and open it anew. {why}"
    ),
    "window.reading": "Looking through {path}",
    "window.reading.cancel": "Cancel",
    "window.reading.given_up": "{path} was given up",
    "window.cannot_open": "{path}: {why}",
    "window.refused": "Refused: {why}",
    "window.connected": "Connected to {name}",
    "window.skipped": "Drawn seldom, for want of time: {names}",
    "window.too_late": (
        "This panel was busy for {silent_ms} ms: its sign of life was late, and hold-to-run was "
        "let go. Let go of it and press it anew; a smaller window or fewer parts draw faster."
    ),
    "window.missed": "{count} frames not shown",
    "window.controls.none": (
        "Take on a platform that runs to lead it from here: Bench, Benches that run, or the tab "
        "Scenarios. An arm is steered by the handles."
    ),
    "window.controls.plan": "This run's plan cannot be read: {why}",
    "window.dock.scene": "Machine",
    "window.dock.controls": "Controls",
    "window.dock.faults": "Faults",
    "window.dock.margins": "Margins",
    "window.dock.scenarios": "Scenarios",
    "window.dock.handles": "Handles",
    "window.dock.scope": "Scope",
    "window.dock.lateness": "Lateness",
    "window.dock.timeline": "Timeline",
    "window.dock.replay": "Replay",
    "window.dock.compare": "Compare",
    "shortcuts.everywhere": "Everywhere",
    "shortcuts.scene": "In the picture of the machine",
    "shortcuts.scope": "In the scope",
    "shortcuts.replay": "In the replay",
    "shortcuts.handles": "On the handles",
    "shortcuts.controls": "On a slider of the controls",
    "shortcuts.form": "In the form of a scenario",
    "shortcuts.faults": "In lists of faults and events",
    "shortcuts.replay.play": "Play, pause",
    "shortcuts.replay.step": "One frame back, on",
    "shortcuts.replay.second": "One second back, on",
    "shortcuts.replay.far": "Ten seconds back, on",
    "shortcuts.replay.ends": "Beginning, end",
    "shortcuts.replay.rate": "Slower, faster",
    "shortcuts.replay.event": "To the event before, to the next one",
    "shortcuts.handles.move": "Move: along x, y, z and back",
    "shortcuts.handles.turn": "Turn: about x, y, z and back",
    "shortcuts.controls.step": "A small step",
    "shortcuts.controls.far": "A large step",
    "shortcuts.form.rows": "Add a row, remove it",
    "shortcuts.form.move": "Move a row up, down",
    "shortcuts.form.undo": "Take back, do again",
    "shortcuts.faults.copy": "Copy what is chosen",
    "shortcuts.scene.turn": "Turn the picture",
    "shortcuts.scene.shift": "Shift the picture",
    "shortcuts.scene.zoom": "Nearer, farther",
    "shortcuts.scene.front": "From the front",
    "shortcuts.scene.side": "From the side",
    "shortcuts.scene.top": "From above",
    "shortcuts.scene.reset": "As at first",
    "shortcuts.scope.pause": "Pause",
    "shortcuts.scope.arm": "Arm the trigger",
    "shortcuts.scope.trigger": "Settings of the trigger",
    "shortcuts.scope.signals": "Choose signals",
    "shortcuts.scope.cursors": "Cursors",
    "shortcuts.scope.other": "The other cursor",
    "shortcuts.scope.fit": "Fit the height",
    "shortcuts.scope.save": "Save what is seen",
    "shortcuts.scope.move": "Move the time, or the cursor; with Shift further",
    "shortcuts.scope.zoom": "Shorter, longer",
    "shortcuts.scope.ends": "Beginning, end",
}
"""Key → English."""
