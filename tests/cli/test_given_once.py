"""No verb takes an option with one value twice, and passes the first one over silently."""

from collections.abc import Iterator

import pytest
import typer

from hil.cli.main import app

HIL = typer.main.get_command(app)


def options(command, words=()) -> Iterator[tuple[tuple[str, ...], str, bool]]:
    """Yield each option of each command: its verb, its flag, whether it may be given again."""
    for param in command.params:
        if param.param_type_name == "option" and not param.is_flag:
            yield words, param.opts[0], param.multiple
    for name, one in getattr(command, "commands", {}).items():
        yield from options(one, (*words, name))


EVERY = sorted(options(HIL))


def said_of(*words):
    """What the command line says of an option that is given twice, before the verb begins."""
    with pytest.raises(typer.BadParameter) as refused:
        HIL.main(list(words), "hil", standalone_mode=False)
    return refused.value.format_message()


def test_all_verbs_have_such_options():
    assert len({words for words, _, _ in EVERY}) > 30
    assert sum(not again for _, _, again in EVERY) > 100


def test_an_option_with_one_value_is_refused_if_it_is_given_twice():
    for words, flag, again in EVERY:
        if not again and words:
            told = said_of(*words, flag, "1", flag, "2")
            assert flag in told
            assert "is given 2 times, and takes one value" in told


def test_the_same_value_twice_is_refused_as_well():
    assert "--rig" in said_of("check", "--rig", "paper", "--rig=paper")


def test_options_of_many_values_are_still_given_again():
    assert (("run",), "--set", True) in EVERY
    with pytest.raises(SystemExit):
        HIL.main(["run", "--set", "a=1", "--set", "b=2"], "hil")
