"""What moves drives fast is believed only if nobody else can have written it."""

import json
import os
import stat
from types import SimpleNamespace

import pytest

from drives.bank import BankReport
from hil.config.file_search import configs_dir
from hil.config.files import read_trusted
from hil.machines.rig.drive_reference import (
    LegReference,
    NotReferencedError,
    Reference,
    load_reference,
    reference_path,
    rig_digest,
    save_reference,
    state_dir,
)
from hil.machines.rig.machine import load_rig
from hil.stations.platform.drives.certificate import Proofs, lacking, write_certificate
from hil.stations.platform.drives.watchdog_proof import WatchdogProof

RIG = load_rig(configs_dir() / "rigs" / "paper.toml")
REPORT = BankReport(
    "drives", "slcan:x", False, ("axis",) * 6, tuple("abcdef"), scale_proved=(True,) * 6
)
PROOF = WatchdogProof(90_000, (50_000,) * 6, (52_000,) * 6)


@pytest.fixture
def certificate(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    before = os.umask(0o002)  # as where each user has a group of its own
    path = write_certificate(RIG, REPORT, Proofs((), PROOF, "A. Person"), stamp="now")
    os.umask(before)
    table = json.loads(path.read_bytes()) | {"tests": [{"faults": []}] * 6}
    path.write_text(json.dumps(table))
    assert lacking(RIG, REPORT) == []
    return path


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_it_is_written_for_this_user_alone(certificate):
    assert (mode(certificate), mode(certificate.parent)) == (0o600, 0o700)
    certificate.chmod(0o666)
    write_certificate(RIG, REPORT, Proofs((), PROOF, "A. Person"), stamp="now")
    assert mode(certificate) == 0o600


@pytest.mark.parametrize("bits", [0o620, 0o602, 0o666])
def test_one_that_others_may_write_proves_nothing(certificate, bits):
    certificate.chmod(bits)
    (words,) = lacking(RIG, REPORT)
    assert f"{certificate} has mode {bits:04o}" in words
    assert f"chmod go-w {certificate}" in words
    certificate.chmod(0o644)  # as the bench wrote them before
    assert lacking(RIG, REPORT) == []


def test_nor_one_in_a_folder_where_others_may_put_another(certificate):
    certificate.parent.chmod(0o777)
    (words,) = lacking(RIG, REPORT)
    assert f"chmod go-w {certificate.parent}" in words


def test_nor_one_that_is_a_link(certificate, tmp_path):
    certificate.rename(tmp_path / "elsewhere")
    certificate.symlink_to(tmp_path / "elsewhere")
    assert "its slow test move" in lacking(RIG, REPORT)[0]


def test_nor_one_of_another_user(certificate, monkeypatch):
    """The file is this user's; the one who reads it, and does not run as root, is another."""
    fstat, others = os.fstat, 65534

    def given_away(descriptor):
        found = fstat(descriptor)
        return SimpleNamespace(st_uid=others, st_mode=found.st_mode)

    monkeypatch.setattr(os, "fstat", given_away)
    (words,) = lacking(RIG, REPORT)
    assert f"belongs to user {others}; need your own ({os.geteuid()})" in words


def test_a_reference_that_others_may_write_is_none(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    leg = LegReference("a", (), None)
    save_reference(RIG, Reference(rig_digest(RIG), (leg,) * 6, ""))
    assert load_reference(RIG) is not None
    assert mode(state_dir()) == 0o700
    reference_path(RIG).chmod(0o606)
    with pytest.raises(NotReferencedError, match="others may write it; chmod go-w"):
        load_reference(RIG)


@pytest.mark.parametrize("size", [10, 11])
def test_no_more_is_read_than_is_asked_for(tmp_path, size):
    path = tmp_path / "a"
    path.write_bytes(bytes(size))
    path.chmod(0o600)
    if size == 10:
        assert read_trusted(path, 10) == bytes(10)
    else:
        with pytest.raises(OSError, match="more than 10 bytes"):
            read_trusted(path, 10)
