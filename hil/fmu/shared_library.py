"""From a program to the shared library of an FMU: no interpreter, no compiler's runtime in it.

The kernels' function becomes LLVM code, that an object for any 64-bit x86 Linux, and gcc links it
with the C around it. What LLVM expects below it differs between releases of numba, so only those
that were tested are taken.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hil.config.errors import RefusedError
from hil.fmu.program import Array, ModelProgram
from hil.fmu.stubs import missing_functions
from hil.ipc.child import run_tool

if TYPE_CHECKING:
    from numba.core.ccallback import CFunc

TESTED: Final = ("0.68",)
"""Releases of numba, major and minor, with which exports were judged."""
HERE: Final = Path(__file__).parent / "c"
FLAGS: Final = (
    "-shared", "-fPIC", "-ftls-model=initial-exec", "-O2", "-std=c11", "-Wall",
    "-fvisibility=hidden", "-ffp-contract=off",
    "-Wl,--no-undefined", "-Wl,-z,noexecstack", "-Wl,--build-id=none", "-s",
    f"-Wl,--version-script={HERE / 'exported.map'}",
)  # fmt: skip


def require_compilers() -> None:
    """See that an export is possible here.

    Raises:
        RefusedError: naming the release of numba, the missing gcc or the machine.
    """
    import numba

    minor = ".".join(numba.__version__.split(".")[:2])
    if minor not in TESTED:
        raise RefusedError(
            f"export was tested with numba {' and '.join(TESTED)}, and this is numba "
            f"{numba.__version__}: pip install 'numba=={TESTED[-1]}.*'"
        )
    if platform.machine() != "x86_64":
        raise RefusedError(f"export makes FMUs for x86_64; this machine is {platform.machine()}")
    if shutil.which("gcc") is None:
        raise RefusedError("export needs gcc, which is not there: apt-get install gcc libc6-dev")


def library(program: ModelProgram, major: int, token: str, folder: Path) -> Path:
    """Compile and link.

    Args:
        major: of FMI, 2 or 3.
        token: GUID or instantiation token.
        folder: where to leave the library and what it was made of.

    Raises:
        RefusedError: if gcc does not take it, with what it says.
    """
    import fmpy

    headers = Path(fmpy.__file__).parent / "c-code"
    entry = _entry(program)
    kernels = folder / "kernels.o"
    kernels.write_bytes(_object(entry))
    (folder / "model.h").write_text(_model_header(program, token, entry.native_name))
    source = HERE / f"fmi{major}.c"
    around = folder / f"around_fmi{major}.c"
    text = source.read_text(encoding="utf-8")
    types = headers / f"fmi{major}FunctionTypes.h"
    around.write_text(text + missing_functions(types, text))
    made = folder / f"{program.name}.so"
    sources = [str(around), str(HERE / "runtime.c"), str(kernels)]
    command = ["gcc", *FLAGS, f"-I{folder}", f"-I{HERE}", f"-I{headers}", "-o", str(made), *sources]
    status, said = run_tool([*command, "-lm"])
    if status:
        raise RefusedError(f"gcc did not make {made.name}: {said[-2000:].strip()}")
    return made


def token_of(program: ModelProgram, major: int) -> str:
    """A GUID that belongs to this program, its numbers and its variables."""
    import numba

    digest = hashlib.sha256(program.constants.tobytes())
    ports = [(port.name, port.unit, port.start) for port in (*program.inputs, *program.outputs)]
    for part in (program.name, major, program.period_s, ports, numba.__version__):
        digest.update(repr(part).encode())
    for file in sorted(HERE.iterdir()):
        digest.update(file.read_bytes())
    text = digest.hexdigest()
    return f"{{{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:32]}}}"


def _entry(program: ModelProgram) -> CFunc:
    """The program behind a signature of C: pointers to doubles."""
    from numba import cfunc, types
    from numba.np.numpy_support import carray

    function = program.function
    constants, given = len(program.constants), len(program.inputs)
    outputs, memory = len(program.outputs), program.memory
    pointer = types.CPointer(types.float64)
    signature = types.int64(types.int64, pointer, pointer, pointer, pointer, types.float64)

    def call(task, c, g, t, m, step_s):
        return function(
            task, carray(c, (constants,)), carray(g, (given,)), carray(t, (outputs,)),
            carray(m, (memory,)), step_s,
        )  # fmt: skip

    return cfunc(signature, error_model="numpy")(call)


def _object(entry: CFunc) -> bytes:
    import llvmlite.binding as llvm

    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu")
    machine = target.create_target_machine(
        cpu="x86-64", features="", opt=3, reloc="pic", codemodel="default"
    )
    return machine.emit_object(llvm.parse_assembly(entry.inspect_llvm()))


def _model_header(program: ModelProgram, token: str, symbol: str) -> str:
    period_s = program.period_s or 0.0
    return f"""/* {program.name} */
#define MODEL_NAME "{program.name}"
#define MODEL_TOKEN "{token}"
#define INPUTS {len(program.inputs)}
#define OUTPUTS {len(program.outputs)}
#define MEMORY {program.memory}
#define PERIOD_S {period_s.hex()}
#define LONGEST_STEP_S {program.longest_step_s.hex()}
#define CONSTANTS_OF_MODEL {_numbers(program.constants)}
#define STARTS_OF_MODEL {_numbers(program.start())}
extern int64_t model_call(int64_t task, const double *constants, const double *given,
    double *told, double *memory, double step_s) __asm__("{symbol}");
"""


def _numbers(values: Array) -> str:
    return "{" + ", ".join(_number(float(value)) for value in values) + "}"


def _number(value: float) -> str:
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "-INFINITY" if value < 0.0 else "INFINITY"
    return value.hex()
