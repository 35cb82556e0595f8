"""The bench: scenarios, clocks, the loop, stations, recording, report, command line.

Whatever of it is loaded, and in whichever process, first makes sure of whose code it is.
"""

import sys
from os.path import abspath as _abspath
from os.path import basename as _basename
from os.path import dirname as _dirname

_BY_MODULE = sys.argv[:1] == ["-m"]
"""Whether this is `python -m hil.…`: so says Python while it looks for the module."""

# That form has put the user's folder before everything else. Nothing of the bench or its libraries
# is there, unless the user stands in a checkout that is used as it lies.
if _BY_MODULE and not sys.flags.safe_path and sys.path[0] != _dirname(_dirname(_abspath(__file__))):
    del sys.path[0]

from hil.config.build import check_presence  # noqa: E402
from hil.config.installation import InstallationError, check_packages, refuse  # noqa: E402
from hil.ipc.library_settings import ignore_current_folder  # noqa: E402

try:
    check_packages()
    check_presence()
except InstallationError as error:
    if _BY_MODULE or _basename(sys.argv[0]) == "hil":
        refuse(error)  # the program itself: in words, not with a trace of calls
    raise

if _BY_MODULE or _basename(sys.argv[0]) == "hil":  # and not a larger program, with its own ways
    ignore_current_folder()


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version  # when it is asked for: the gate's process never does

    return version("hil-bench")
