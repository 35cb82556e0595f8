"""Libraries take their settings from the environment and the user's home, not the current folder.

matplotlib reads a ``matplotlibrc`` of the current folder when it is loaded, numba a
``.numba_config.yaml``, and again whenever it compiles; with it a stranger's folder could name where
kernels are cached, which is code. Neither library can be asked not to. They are therefore loaded
while the process is in the root folder, and numba keeps the settings that it has been loaded with.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Final

_READ_WHEN_LOADED: Final = ("matplotlib", "numba.core.config")
"""Modules that look for a file of settings in the current folder while they are loaded."""
_READ_AGAIN: Final = "reload_config"
"""Function by which numba does so whenever it compiles."""
_FOLDER: Final = getattr(os, "O_PATH", os.O_RDONLY)
"""Flags to open a folder only to return to it; it need not be readable."""


def ignore_current_folder() -> None:
    """Have libraries that this process loads from now on read no settings of its folder."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


@contextmanager
def _root_folder() -> Iterator[None]:
    """Be in the root folder for a moment; the folder before may have been deleted since."""
    before = os.open(".", _FOLDER)
    try:
        os.chdir(os.sep)
        yield
    finally:
        os.fchdir(before)
        os.close(before)


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in _READ_WHEN_LOADED:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = _apart(spec.loader.exec_module)
        return spec


def _apart(load: Callable[[ModuleType], None]) -> Callable[..., None]:
    """A module's load, away from the current folder, and once."""

    def load_apart(module: ModuleType) -> None:
        with _root_folder():
            load(module)
        if hasattr(module, _READ_AGAIN):
            setattr(module, _READ_AGAIN, _keep_settings)

    return load_apart


def _keep_settings() -> None:
    """Leave the settings as they are."""
