"""An installed wheel cannot be shadowed by what lies beside the user, and says what tries to."""

import pytest
from campaign import share_of
from shadow_trials import TRIALS, Trials
from wheel_files import install


@pytest.fixture(scope="module")
def trials(tmp_path_factory):
    python, _ = install(tmp_path_factory.mktemp("wheel") / "venv")
    return Trials(python, tmp_path_factory.mktemp("users"))


@pytest.mark.campaign
@pytest.mark.parametrize("trial", share_of(TRIALS, least=3))
def test_an_intruder_is_refused_or_without_effect(trials, trial):
    assert getattr(trials, trial)() == "", trial
