"""Files are opened where it is said that they may be: a name in a document goes one way only.

What a document names is found by `find_file` or `path_beside`, or read by `read_named_file`
(`hil.config.named_files`); who opens what was found uses `open_regular`, which follows no link that
has come since. Every other opening stands in a table below, with what it opens, and so does
everything else that makes a path of a name in a document, or joins one to its folder.
"""

import ast
import os
import threading
from pathlib import Path

import pytest

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir, find_file, path_beside
from hil.config.files import open_regular
from hil.config.named_files import (
    EmbeddedPath,
    OutsideError,
    UserNamedFiles,
    judged,
    read_named_file,
)
from hil.config.settings import apply_overrides
from hil.diagram.check.replacement import files_of_block
from hil.diagram.file.read import read_text
from hil.diagram.library.files import KINDS, table_of
from hil.machines.world.robot_documents import document_of

TOP = Path(__file__).parents[1]
PACKAGES = ("hil", "sim", "drives", "arm_driver", "platform6dof", "safety", "hil_common")
OPENERS = frozenset(
    {
        "open", "io.open", "os.open", "codecs.open", "av.open", "Image.open", "gzip.open",
        "np.loadtxt", "np.genfromtxt", "np.load", "np.fromfile", "np.memmap", "ZipFile",
        "zipfile.ZipFile", "tarfile.open", "shutil.copy", "shutil.copyfile", "shutil.copy2",
        "shutil.copytree", "ET.parse", "ElementTree.parse", "mmap.mmap", "linecache.getlines",
        "fileinput.input", "runpy.run_path",
    }
)  # fmt: skip
METHODS = frozenset({"read_text", "read_bytes", "from_xml_path", "from_file", "imread"})
"""Of whatever: a path's, or a library's."""
CALLED = {one.rpartition(".")[2] for one in OPENERS | METHODS | {"open"}}
"""One of these words stands in the source of whatever opens a file."""

MAY_OPEN = {
    "hil/campaign/folder.py": "its own folder, to lock it",
    "hil/config/files.py": "the place that opens",
    "hil/config/installation.py": "installed code, to compare it with its record",
    "hil/config/libraries.py": "installed code, to tell its digest",
    "hil/config/quick_table.py": "a table that `open_regular` opened",
    "hil/desk/endpoints.py": "the desk's own folder and token, through their folder's descriptor",
    "hil/desk/unattended_runs.py": "locks in the folder of benches",
    "hil/desk/velocity/listener.py": "a token whose place a person or the desk gives",
    "hil/desk/velocity/remote_writer.py": "a token that it makes",
    "hil/diagram/kernel/step.py": "installed code, to tell its digest",
    "hil/diagram/run/tap_reader.py": "values of a run of this user, through its process",
    "hil/diagram/run/taps.py": "values that it makes",
    "hil/config/build.py": "installed code",
    "hil/run/computer.py": "the system's list of processors",
    "hil/fmu/shared_library.py": "installed code, and what was compiled of it",
    "hil/fmu/description.py": "an FMU that `open_regular` opened",
    "hil/fmu/export.py": "what it has made",
    "hil/fmu/stubs.py": "installed code",
    "hil/ipc/broadcast.py": "memory that it makes",
    "hil/ipc/library_settings.py": "the current folder, to return to it",
    "hil/ipc/memory.py": "memory that was handed over as a descriptor",
    "hil/ipc/socket_owner.py": "of the kernel",
    "hil/ipc/work_folder.py": "folders that it makes, and their locks",
    "hil/panel/diagram/models/journal.py": "a journal in the editor's own folder",
    "hil/recording/row_arrays.py": "memory of a file without a name that it makes",
    "hil/recording/writer.py": "a recording that it makes",
    "hil/run/facts.py": "the repository of the program",
    "hil/run/part_process.py": "what a part that it began has said",
    "hil/ipc/process_state.py": "of the kernel",
    "hil/run/progress.py": "memory that was handed over as a descriptor",
    "hil/stations/arm/commands/emulate.py": "a script of the command line",
    "hil/stations/arm/moves/controller_keys.py": "a robot's file of the command line",
    "hil/machines/rig/bus_kind.py": "a script of the command line",
    "hil/stations/platform/gate/black_box.py": "the gate's own file",
    "hil/stations/platform/gate/control_state.py": "state of a process, of the kernel",
    "hil/stations/simulator/commands/host_options.py": "a key of the command line",
    "hil/stations/world/commands/scenario.py": "a scenario of the command line",
    "hil/stations/world/editing/snapshot_file.py": "bytes that `read_regular` read",
    "hil/timing/doctor.py": "of the kernel",
    "hil/timing/neighbours.py": "of the kernel",
    "hil/timing/realtime_setup.py": "of the kernel",
    "sim/devices/admission.py": "of the kernel",
    "drives/types/eds_file.py": "a data sheet of the command line",
    "drives/modbus/connect.py": "a serial port",
    "drives/can/slcan_port.py": "a serial port",
}
"""Module → what it opens besides."""


def name_of(node):
    """A called name, dotted; empty if it is none."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=inner, attr=name):
            before = name_of(inner)
            return f"{before}.{name}" if before else f".{name}"
    return ""


def writes(call):
    """Whether a call opens for writing alone, by its mode."""
    words = [one.value for one in (*call.args, *(key.value for key in call.keywords))
             if isinstance(one, ast.Constant) and isinstance(one.value, str)]  # fmt: skip
    return any(word in {"w", "x", "wb", "xb", "a", "ab"} for word in words)


def is_of_a_path(call):
    """Whether `.open(...)` is that of a path: with a mode or an encoding, or by itself."""
    keys = {key.arg for key in call.keywords}
    modes = [one for one in call.args if isinstance(one, ast.Constant)]
    return bool(keys & {"encoding", "newline", "buffering", "mode"} or modes)


def openings(source):
    """Lines and names of calls that open a file by its name for reading."""
    if not any(word in source for word in CALLED):
        return
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or writes(node):
            continue
        name = name_of(node.func)
        last = name.rpartition(".")[2]
        if (
            name in OPENERS
            or (last in METHODS and "." in name)
            or (last == "open" and "." in name and is_of_a_path(node))
        ):
            yield node.lineno, name


def found():
    """Every opening of the program: module → lines."""
    for module, text in sources():
        if lines := list(openings(text)):
            yield module, lines


def test_every_other_opening_is_of_no_document():
    modules = dict(found())
    new = [
        f"{one}:{line}: {call}" for one in {*modules} - {*MAY_OPEN} for line, call in modules[one]
    ]
    assert not new, "\n".join(new)
    assert not {*MAY_OPEN} - {*modules}, "opens nothing any more"


@pytest.mark.parametrize(
    "planted",
    [
        "text = open(name).read()", "data = path.read_bytes()", "file = path.open('rb')",
        "file = os.open(name, os.O_RDONLY)", "rows = np.loadtxt(name)", "av.open(str(film))",
        "text = Path(table['file']).read_text(encoding='utf-8')", "zipfile.ZipFile(path)",
        "model = engine.MjModel.from_xml_path(name)", "tree = ET.parse(name)",
    ],
)  # fmt: skip
def test_the_scan_sees_an_opening(planted):
    assert list(openings(planted))


FOLDERS = frozenset({"parent", "parents", "folder", "base_dir", "directory"})
"""What the folder of a document is called."""
DOCUMENTS = frozenset({"scenario_file", "rig_file", "robot_file", "diagram_file"})
"""Settings that tell where a document itself was."""
OTHERS = frozenset({"name", "path", "source", "speed", "acceleration"})
"""Settings that are called like much else."""
MAY_JOIN = {
    "hil/campaign/execution.py": "the scenario itself",
    "hil/campaign/page.py": "a recording that it has kept",
    "hil/campaign/plan.py": "the folder of a run",
    "hil/campaign/session.py": "the folder of a run",
    "hil/campaign/worker.py": "the scenario itself",
    "hil/run/drawn_documents.py": "copies that it makes, in the folder of the run",
    "hil/cli/together.py": "the recording of a part, as its own process printed it",
    "hil/config/file_search.py": "the place that finds",
    "hil/diagram/file/read.py": "a library, which is judged; a table that `find_file` finds again",
    "hil/fmu/shared_library.py": "what was compiled",
    "hil/fmu/export.py": "what it makes",
    "hil/machines/world/robot_documents.py": "the document of an edit, whose text is at hand",
    "hil/machines/world/mesh_files.py": "a mesh, which `read_named_file` reads",
    "hil/panel/scenarios/models/catalogue.py": "a name that is written into a copy",
    "hil/run/facts.py": "the repository of the program",
    "hil/run/part_process.py": "the folder of a part's run",
    "hil/stations/platform/commands/design.py": "rigs and a table that it makes",
    "hil/stations/platform/commands/rig_model.py": "pictures that it makes",
    "hil/stations/platform/report/map_figure.py": "pictures that it makes",
    "hil/stations/platform/report/sample_figures.py": "pictures that it makes",
    "hil/stations/simulator/sources/host.py": "a map, whose name alone is asked for",
    "hil/stations/simulator/sources/sender_process.py": "the scenario itself",
    "hil/stations/world/robots/referenced_files.py": "copies that it makes, in that folder alone",
    "hil/terminal/completion.py": "what stands in a folder, for a shell",
    "hil/terminal/fault.py": "an account that it makes",
}
"""Module → what it joins to a folder, or makes a path of, besides."""


def sources():
    """Every module of the program and its text."""
    for package in PACKAGES:
        for path in sorted((TOP / package).rglob("*.py")):
            yield path.relative_to(TOP).as_posix(), path.read_text("utf-8")


def classes(statements):
    """Classes among statements, whatever these are in; no expression is looked into."""
    for node in statements:
        if isinstance(node, ast.ClassDef):
            yield node
        for part in ("body", "orelse", "handlers", "finalbody", "cases"):
            yield from classes(getattr(node, part, ()))


def text_settings():
    """Names of all settings that are texts, of which any may name a file."""
    bases, bodies = {}, {}
    for _, text in sources():
        for node in classes(ast.parse(text).body) if "class " in text else ():
            known = {name_of(one).rpartition(".")[2] for one in node.bases}
            bases.setdefault(node.name, set()).update(known)
            bodies.setdefault(node.name, []).extend(node.body)
    models = {"Settings"}
    while more := {name for name, known in bases.items() if known & models} - models:
        models |= more
    for name in models:
        for line in bodies[name]:
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                said = ast.unparse(line.annotation)
                if "str" in said or "Text" in said or "Name" in said:
                    yield line.target.id


def is_fixed(node):
    """Whether a name stands in the program itself."""
    match node:
        case ast.Constant():
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.isupper()
        case ast.JoinedStr(values=parts):
            return all(map(is_fixed, parts))
        case ast.FormattedValue(value=inner):
            return is_fixed(inner)
    return False


def names_in(node):
    """Names and attributes in an expression."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name | ast.Attribute):
            yield one.id if isinstance(one, ast.Name) else one.attr


def joins(source, settings):
    """Lines and expressions that make a path of a setting, or join a name to a folder."""
    if not any(word in source for word in (" / ", "joinpath", "path.join", "Path(")):
        return
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.BinOp(left=folder, op=ast.Div(), right=name):
                joined = FOLDERS & {*names_in(folder)} and not is_fixed(name)
                told = joined or (isinstance(name, ast.Attribute) and name.attr in settings)
            case ast.Call(func=ast.Attribute(attr="joinpath"), args=[*parts]):
                told = not all(map(is_fixed, parts))
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="path"), attr="join")):
                told = True
            case ast.Call(func=ast.Name(id="Path"), args=[*parts]):
                told = any(
                    isinstance(one, ast.Attribute) and one.attr in settings
                    for part in parts
                    for one in ast.walk(part)
                )
            case _:
                continue
        if told:
            yield node.lineno, ast.unparse(node)


def test_every_other_join_is_of_no_document():
    settings = {*text_settings()} - DOCUMENTS - OTHERS
    assert {"file", "ride", "token_file", "listen", "rig", "document"} <= settings
    modules = {one: [*joins(text, settings)] for one, text in sources()}
    modules = {one: lines for one, lines in modules.items() if lines}
    new = [
        f"{one}:{line}: {code}" for one in {*modules} - {*MAY_JOIN} for line, code in modules[one]
    ]
    assert not new, "\n".join(new)
    assert not {*MAY_JOIN} - {*modules}, "joins nothing any more"


@pytest.mark.parametrize(
    "planted",
    [
        "path = base_dir / settings.file", "token = read_token(base_dir / settings.token_file)",
        "address = str(base_dir / address)", "near = beside.parent / name",
        "token = read_token(Path(by.token_file))", "path = Path(plan.scenario.ride)",
        "path = where / settings.file", "path = os.path.join(folder, name)",
        "path = document.parent.joinpath(table['file'])", "path = file.parent / f'{name}.csv'",
        "path = Path(file.parent, settings.file)",
    ],
)  # fmt: skip
def test_the_scan_sees_a_join(planted):
    assert list(joins(planted, {"file", "token_file", "ride"}))


def test_a_document_names_its_folder_and_the_program_s(tmp_path):
    document = tmp_path / "own" / "a.toml"
    (tmp_path / "own" / "deep").mkdir(parents=True)
    inside, outside = tmp_path / "own" / "deep" / "x.toml", tmp_path / "x.toml"
    for path in (document, inside, outside):
        path.write_text("a = 1\n")
    (tmp_path / "own" / "link").symlink_to(outside)
    (tmp_path / "own" / "round").symlink_to(inside)
    for name in ("deep/x.toml", "./deep/../deep/x.toml", "round", str(inside)):
        assert judged(document.parent / name, document) == inside
        assert find_file(name, beside=document, folder="rigs", key="rig") == inside
    paper = configs_dir() / "rigs" / "paper.toml"
    for name in ("paper", "configs/rigs/paper.toml", str(paper)):
        assert find_file(name, beside=document, folder="rigs", key="rig") == paper
    for name in ("../x.toml", "link", str(outside), "deep/../../x.toml"):
        with pytest.raises(OutsideError, match=r"Permission|lies outside"):
            judged(document.parent / name, document)
        with pytest.raises(ConfigError, match=r"rig = .* lies outside .*own, the folder of the "):
            find_file(name, beside=document, folder="rigs", key="rig")
    for name in ("a\0b", "a" * 5000):
        with pytest.raises(OutsideError):
            judged(document.parent / name, document)


def test_where_one_stands_is_the_persons_and_shipped_scenarios(tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "mine.fmu").write_bytes(b"x")
    monkeypatch.chdir(tmp_path / "here")
    how = {"folder": "fmus", "key": "file", "ending": ".fmu"}
    with pytest.raises(ConfigError, match="lies outside"):
        find_file("mine.fmu", beside=tmp_path / "own" / "a.toml", **how)
    shipped = configs_dir() / "scenarios" / "fmu_vehicle.toml"
    for beside in (None, shipped):
        assert find_file("mine", beside=beside, **how).name == "mine.fmu"
    other = configs_dir() / "diagrams" / "demo.toml"
    with pytest.raises(ConfigError, match="lies outside"):
        find_file("mine.fmu", beside=other, **how)


def test_what_a_person_lays_over_a_document_may_be_anywhere(tmp_path):
    outside = tmp_path / "given_by_hand.csv"
    outside.write_text("t_s\n")
    document, how = tmp_path / "own" / "a.toml", {"folder": "motions", "key": "file"}
    document.parent.mkdir()
    apply_overrides({}, [f"motion.file={outside}"], given=False)  # a document's
    with pytest.raises(ConfigError, match="--set file="):
        find_file(str(outside), beside=document, **how)
    apply_overrides({}, [f'motion=[{{ file = "{outside}" }}]'])
    assert find_file(str(outside), beside=document, **how) == outside
    names = UserNamedFiles()
    names.close()
    names.take({"a": ["b"]})
    assert not names.has("a", "b")


def test_what_a_person_says_of_one_key_opens_nothing_under_another(tmp_path):
    """A name such as a clock's, which everybody gives, may be that of a stranger's link."""
    (tmp_path / "own").mkdir()
    (tmp_path / "key.csv").write_text("t_s\n")
    (tmp_path / "own" / "virtual").symlink_to(tmp_path / "key.csv")
    document, how = tmp_path / "own" / "a.toml", {"beside": tmp_path / "own" / "a.toml"}
    apply_overrides({}, ['clock="virtual"', "presets.1=virtual", 'by={listen="virtual"}'])
    with pytest.raises(ConfigError, match="lies outside"):
        find_file("virtual", folder="motions", key="motion.file", **how)
    with pytest.raises(ConfigError, match="lies outside"):
        path_beside("virtual", key="source.token_file", **how)
    with pytest.raises(ConfigError, match="no file"):
        path_beside("a\0b", key="source.token_file", **how)
    assert find_file("virtual", folder="cueing", key="presets", **how) == tmp_path / "key.csv"
    assert path_beside("virtual", key="source.listen", **how) == document.parent / "virtual"


def test_what_a_document_has_made_is_in_its_folder(tmp_path):
    document = tmp_path / "own" / "a.toml"
    document.parent.mkdir()
    assert path_beside("s.sock", beside=document, key="listen") == document.parent / "s.sock"
    for name in ("../s.sock", str(tmp_path / "s.sock"), str(configs_dir() / "rigs" / "s.sock")):
        with pytest.raises(ConfigError, match=r"listen = .* lies outside .*--set listen="):
            path_beside(name, beside=document, key="listen")
    with pytest.raises(ConfigError, match="of a recording"):
        path_beside("s.sock", beside=EmbeddedPath(document), key="listen")


def test_the_changes_of_a_part_are_its_document_s(tmp_path):
    outside, names = str(tmp_path / "x.csv"), UserNamedFiles()
    names.take("mine", "motion.file")
    with names.of_document([("motion.file", "part's")]):
        names.take(outside, "motion.file")
        assert [names.has("file", one) for one in ("mine", outside, "part's")] == [
            False,
            False,
            True,
        ]
    assert [names.has("file", one) for one in ("mine", outside, "part's")] == [True, False, False]


def test_a_recordings_document_names_nothing(tmp_path):
    (tmp_path / "x.toml").write_text("format = 1\n")
    document = EmbeddedPath(tmp_path / "a.toml")
    with pytest.raises(ConfigError, match="is named by a document of a recording"):
        find_file("x.toml", beside=document, folder="diagrams", key="file")
    with pytest.raises(ConfigError, match="is named by a document of a recording"):
        read_text('format = 1\nlibrary = ["x.toml"]\n', document)


@pytest.mark.parametrize("how", ["file", "folder", "root"])
def test_a_link_that_comes_between_is_not_followed(how, tmp_path):
    """What is judged and what is opened are one thing, whoever writes there meanwhile."""
    folder = tmp_path / "own" / "deep"
    folder.mkdir(parents=True)
    (tmp_path / "private" / "deep").mkdir(parents=True)
    for place in (folder, tmp_path / "private" / "deep", tmp_path / "private"):
        (place / "x.toml").write_text(place.name)
    found = judged(folder / "x.toml", tmp_path / "own" / "a.toml")
    if how == "file":
        (folder / "x.toml").unlink()
        (folder / "x.toml").symlink_to(tmp_path / "private" / "x.toml")
    elif how == "folder":
        folder.rename(tmp_path / "gone")
        folder.symlink_to(tmp_path / "private")
    else:
        (tmp_path / "own").rename(tmp_path / "gone")
        (tmp_path / "own").symlink_to(tmp_path / "private")
    with pytest.raises(OSError, match="a link was put in its way"):
        open_regular(found)


def test_the_folder_of_a_document_stays_what_it_was_when_it_was_found(tmp_path):
    """One that is swapped for a link to another folder afterwards opens nothing there."""
    for name in ("own", "private"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.obj").write_text(name)
    (tmp_path / "own" / "a.toml").write_text("a = 1\n")
    document = find_file(str(tmp_path / "own" / "a.toml"), folder="rigs", key="rig")
    (tmp_path / "own").rename(tmp_path / "gone")
    (tmp_path / "own").symlink_to(tmp_path / "private")
    with pytest.raises(OSError, match="lies outside"):
        read_named_file(document.parent / "x.obj", document, 100)


def test_what_is_no_regular_file_is_refused_at_once(tmp_path):
    """A pipe that nobody writes would hold up its reader for ever."""
    document = tmp_path / "a.toml"
    os.mkfifo(tmp_path / "pipe.obj")
    (tmp_path / "folder.obj").mkdir()
    (tmp_path / "long.obj").write_bytes(bytes(101))
    reasons = {"pipe": "a pipe", "folder": "a folder", "long": "at most 100 bytes are read"}
    told = []
    for name, reason in reasons.items():

        def read(name=name, reason=reason):
            with pytest.raises(OSError, match=reason):
                read_named_file(tmp_path / f"{name}.obj", document, 100)
            told.append(name)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        reader.join(20.0)
    assert told == [*reasons]


def test_a_machine_in_a_document_is_judged_as_any_file(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "rig.toml").write_text("a = 1\n")
    with pytest.raises(ConfigError, match="lies outside"):
        document_of("rig:../rig.toml", beside=tmp_path / "own" / "a.toml")


def test_a_table_of_a_diagram_is_read_where_it_was_judged(tmp_path):
    """A link that comes between the judgement and the reading is not followed."""
    private, diagram = tmp_path / "private.csv", tmp_path / "shared" / "drawn.toml"
    private.write_text("t_s,x\n0,41\n1,42\n")
    diagram.parent.mkdir()
    table = diagram.with_name("table.csv")
    table.write_text("t_s,x\n0,1\n1,2\n")
    kind = next(one for one in KINDS if one.name == "File")
    values = {"file": "table.csv", "column": "x", "time": "t_s", "unit": "1"}
    found = files_of_block(kind, values, diagram)
    assert table_of(values | found)["values"] == (1.0, 2.0)
    table.unlink()
    table.symlink_to(private)
    with pytest.raises(ConfigError, match="cannot be read"):
        table_of(values | found)
