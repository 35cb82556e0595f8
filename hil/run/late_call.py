"""Functions that are loaded when they are called, so that who names them stays light."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from typing import Any


def late(function: str) -> Callable[..., Any]:
    """A function, ``package.module:function``, loaded when it is called."""
    module, _, name = function.partition(":")

    def call(*given: Any) -> Any:
        return attrgetter(name)(import_module(module))(*given)

    return call


def late_of(package: str) -> Callable[[str], Callable[..., Any]]:
    """`late` for functions of one package, ``module:function``."""
    return lambda function: late(f"{package}.{function}")
