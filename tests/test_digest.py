"""The digest inside a weights file: zip tools still read it, and every changed byte is noticed."""

import io
import zipfile

import pytest

from sandlot.digest import DIGEST_BYTES, MARK, check_seal, seal
from sandlot.errors import CheckpointError


@pytest.fixture
def archive():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("weights", b"0123456789")
    return file.getvalue()


def test_a_sealed_archive_is_accepted_and_still_a_zip_archive(archive):
    sealed = seal(archive)
    check_seal(sealed, "w.pt")
    with zipfile.ZipFile(io.BytesIO(sealed)) as read:
        assert read.read("weights") == b"0123456789" and read.testzip() is None
        assert read.comment.startswith(MARK) and len(read.comment) == len(MARK) + DIGEST_BYTES


def test_every_changed_byte_and_every_cut_is_refused(archive):
    sealed = seal(archive)
    for place in range(len(sealed)):
        changed = bytearray(sealed)
        changed[place] ^= 1
        with pytest.raises(CheckpointError, match=r"w\.pt"):
            check_seal(bytes(changed), "w.pt")
        with pytest.raises(CheckpointError, match=r"w\.pt"):
            check_seal(sealed[:place], "w.pt")


def test_only_an_archive_without_a_comment_is_sealed(archive):
    for other in (b"", b"no archive", seal(archive)):
        with pytest.raises(ValueError, match="without a comment"):
            seal(other)
