"""Public names of a package that are loaded on first use.

    __getattr__, __dir__ = lazy_names(__name__, _HOME)

A gate's process imports a few modules of a package whose others bring arrays and libraries with
them; `from package import Name` must not load those.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

DISTRIBUTION = "hil-bench"
"""Name of the distribution whose version is that of each package."""


def lazy_names(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Args:
        package: its name.
        homes: module of each public name, from the package's top; ``__version__`` is added.
    """

    def get(name: str) -> Any:
        if name == "__version__":
            from importlib.metadata import version  # the gate's process never asks

            return version(DISTRIBUTION)
        if name in homes:
            return getattr(import_module(f"{package}.{homes[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes, "__version__"})

    return get, names
