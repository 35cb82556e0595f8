"""Options that take one value are given once: a second value is refused, not taken in its place."""

from __future__ import annotations

from collections import Counter
from typing import Any

import typer
from typer.core import TyperGroup


class OnceGroup(TyperGroup):
    """A group of verbs, none of which takes an option twice, nor do those of its groups.

    The parser of the command line keeps the last value of an option and says nothing: of
    ``--motion a.csv --motion b.csv`` it would play the second.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        _refuse_twice(self)


def _refuse_twice(command: Any) -> None:
    """Make a command, and what is below it, refuse an option with a second value."""
    make_parser = command.make_parser

    def parser_of(ctx: Any) -> Any:
        parser = make_parser(ctx)
        parse = parser.parse_args

        def parsed(args: list[str]) -> Any:
            found = parse(args=args)
            _check(found[2], ctx)
            return found

        parser.parse_args = parsed
        return parser

    command.make_parser = parser_of
    for one in getattr(command, "commands", {}).values():
        _refuse_twice(one)


def _check(order: list[Any], ctx: Any) -> None:
    """Refuse what was given more than once.

    Args:
        order: Parameters in the order in which they were given, each as often as it was.

    Raises:
        typer.BadParameter: Naming the option.
    """
    if ctx.resilient_parsing:  # completion of an unfinished line
        return
    for param, count in Counter(order).items():
        if count > 1 and takes_one_value(param):
            text = f"is given {count} times, and takes one value"
            raise typer.BadParameter(text, ctx=ctx, param=param)


def takes_one_value(param: Any) -> bool:
    """Whether a parameter of a command is an option with one value."""
    is_option = param.param_type_name == "option"
    return is_option and not (param.multiple or param.is_flag or param.count)
