"""Bytes as text: exactly as many as were promised, and never more memory than that."""

import base64
import zlib

import pytest

from sandlot.runs import stored_frames
from sandlot.runs.stored_frames import pack, unpack


@pytest.mark.parametrize("data", [b"", b"x", bytes(range(256)) * 40])
def test_what_was_packed_comes_back(data):
    assert unpack(pack(data), len(data)) == data and pack(data).isascii()


@pytest.mark.parametrize("expected", [9, 11, 0, -1])
def test_another_length_than_promised_is_refused(expected):
    with pytest.raises(ValueError, match="a block of"):
        unpack(pack(b"0123456789"), expected)


def test_no_block_is_larger_than_the_limit(monkeypatch):
    assert stored_frames.MAX_BLOCK_BYTES == 32 << 20
    monkeypatch.setattr(stored_frames, "MAX_BLOCK_BYTES", 10)
    assert unpack(pack(b"0123456789"), 10) == b"0123456789"
    with pytest.raises(ValueError, match="at most 10"):
        unpack(pack(b"0123456789a"), 11)


def test_a_block_that_is_cut_off_or_no_base64_is_refused():
    whole = zlib.compress(b"0123456789" * 9, 9)
    with pytest.raises(ValueError, match="another length"):
        unpack(base64.b64encode(whole[:-6]).decode(), 90)
    with pytest.raises(ValueError, match=r"base64|alphabet|characters"):
        unpack("§" + pack(b"0123456789"), 10)
