"""Replays that cannot be played again: the API shows the frames that their files hold."""

import json
import os
import subprocess
import sys

import pytest
import reference_game

from sandlot.evaluate.replay_reader import frames
from sandlot.evaluate.replay_recorder import Origin, record
from sandlot.games import bot
from sandlot.runs import Frame, Replay, Store
from sandlot.runs.records import parse
from sandlot.runs.replays import _gunzip, _gzip
from sandlot.worlds.make import ENGINES
from sandlot.worlds.remote import RemoteWorld

from .making import serving
from .test_socket import talk

SETTINGS = {"time_limit": 4.0}


def _launch(variables):
    program = [sys.executable, reference_game.__file__]
    return subprocess.Popen(program, env={**os.environ, **variables}, stdin=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def filmed():
    """A match played in another process, which the wire makes no other than one of Godot."""
    players = {"seeker": bot("tag", "chase", config=SETTINGS), "hider": bot("tag", "evade", config=SETTINGS)}
    ENGINES["elsewhere"] = lambda game, worlds, _, seed, config, **more: RemoteWorld(
        game, worlds, seed, config, launch=_launch, **more
    )
    try:
        return record("tag", players, 11, SETTINGS, origin=Origin("run", 0), engine="elsewhere")
    finally:
        del ENGINES["elsewhere"]


@pytest.fixture
def site(tmp_path):
    with serving(runs=tmp_path / "runs", cache=tmp_path / "cache") as running:
        yield running


@pytest.fixture
def run(site, tmp_path, filmed):
    with Store(tmp_path / "runs").create({}, game="tag", trainer_backend="bots", window_env_steps=10) as made:
        made.add_replay(filmed)
        return made


def base(run, filmed):
    return f"runs/{run.run_id}/replays/{filmed.header.replay_id}"


def test_pages_and_socket_send_the_frames_of_the_file(site, run, filmed):
    where = base(run, filmed)
    detail = site.get(f"/api/{where}").json()
    assert detail["playable"] and detail["header"]["played_in"] == "elsewhere"
    page = site.get(f"/api/{where}/frames?limit=5000&info=true").json()
    expected = [frame.to_json() for frame in frames(filmed, 0, 5000, info=True).frames]
    assert page["frames"] == json.loads(json.dumps(expected)) and page["total"] == filmed.end.steps
    assert page["opening"]["tick"] == 0 and "position" in page["opening"]
    for frame in page["frames"]:
        parse(Frame, frame, "frame")
    later = site.get(f"/api/{where}/frames?offset=7&limit=3&info=true").json()
    assert later["frames"] == page["frames"][7:10] and later["opening"] is None
    output, code = talk(site, f"/ws/{where}/frames?info=true")
    streamed = [frame for message in output if message["type"] == "frames" for frame in message["frames"]]
    assert streamed == page["frames"] and code == 1000


def test_the_file_comes_as_it_is(site, run, filmed):
    assert site.get(f"/api/{base(run, filmed)}/file").content == filmed.to_bytes()


def cut(data):
    return data[:-200]


def flipped(data):
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def without_frames(data):
    lines = _gunzip(data, "it").splitlines(keepends=True)
    return _gzip(b"".join(lines[:4] + lines[5:]))


def a_bomb(data):
    """A right digest around a block that would unpack to gigabytes."""
    lines = _gunzip(data, "it").splitlines(keepends=True)
    body = json.loads(lines[4])
    body["render"]["width"] = 1 << 40
    lines[4] = json.dumps(body).encode() + b"\n"
    return _gzip(b"".join(lines))


@pytest.mark.parametrize("harm", [cut, flipped, without_frames, a_bomb])
def test_a_file_that_was_harmed_is_refused_by_every_route(site, run, filmed, harm):
    path = run.paths.replay(filmed.header.replay_id)
    path.write_bytes(harm(path.read_bytes()))
    where = base(run, filmed)
    for route in ("/frames", "/file"):
        answer = site.get(f"/api/{where}{route}")
        assert (answer.status_code, answer.json()["error"]) == (422, "damaged"), answer.text
    detail = site.get(f"/api/{where}").json()
    assert not detail["playable"] and detail["header"] is None and detail["why_not"]
    (error,), code = talk(site, f"/ws/{where}/frames")
    assert (error["status_code"], error["error"], code) == (422, "damaged", 1008)


def test_frames_of_another_version_of_the_game_are_a_conflict(site, run, filmed):
    path = run.paths.replay(filmed.header.replay_id)
    found = Replay.read(path)
    header = found.header.model_copy(update={"game_version": "0"})
    path.write_bytes(Replay(header, *list(vars(found).values())[1:]).to_bytes())
    answer = site.get(f"/api/{base(run, filmed)}/frames")
    assert answer.status_code == 409 and "version 0" in answer.json()["detail"]
