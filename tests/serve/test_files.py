"""Downloads, checkpoints and policies: everything of a run that is meant to be had, and nothing else."""

import http.client
import os
import shutil

import numpy as np
import pytest

from sandlot.policies import load_policy
from sandlot.runs import Store

from .making import serving


def raw(site, path):
    """A request whose path is sent as it is: clients would tidy `..` away."""
    host, port = site.address.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=20)
    try:
        connection.putrequest("GET", path, skip_accept_encoding=True)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_what_is_listed_can_be_downloaded_and_is_the_file(site, trained, run_ids):
    folder = trained / run_ids["tag"]
    body = site.get(f"/api/runs/{run_ids['tag']}/files").json()
    paths = {file["path"] for file in body["files"]}
    assert {"config.json", "run.json", "metrics/windows.jsonl", "metrics/episodes.csv"} <= paths
    assert {"checkpoints/ckpt_000001.pt", "checkpoints/best.pt"} <= paths
    for file in body["files"]:
        data = site.get(file["url"]).content
        assert data == (folder / file["path"]).read_bytes() and len(data) == file["bytes"]


def test_hidden_files_are_neither_listed_nor_served(site, run_ids):
    listed = site.get(f"/api/runs/{run_ids['tag']}/files").text
    assert ".lock" not in listed and "state.json" not in listed and "sqlite" not in listed
    for path in (".lock", "state.json", "replay_index.sqlite", "checkpoints/.ckpt_000001.pt.staged.tmp"):
        assert site.get(f"/api/runs/{run_ids['tag']}/files/{path}").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd",
        "%2fetc%2fpasswd", "metrics/../../../etc/passwd", "metrics/..%2f..%2f..%2fetc/passwd", "..", ".", "",
        "metrics", "metrics/", "metrics%5c..%5c..%5crun.json", "metrics/%00", "run.json%00.png", "run.json/",
        "C:%5cWindows%5cwin.ini", "./run.json", "metrics//windows.jsonl/..", "checkpoints/../run.json",
        "%252e%252e/%252e%252e/etc/passwd", "metrics/%ff%fe", "metrics/" + "a" * 4000,
    ],
)  # fmt: skip
def test_no_trick_with_a_path_leads_out_of_the_run(path, site, run_ids):
    status, body = raw(site, f"/api/runs/{run_ids['tag']}/files/{path}")
    assert b"root:" not in body
    assert status == 404 or (path == "" and status in (200, 307))


@pytest.mark.parametrize(
    "run_id", ["..", "%2e%2e", "..%2f..%2fetc", "%2fetc", ".", "a%00b", "%ff", "a" * 3000, "con:"]
)
def test_no_trick_with_a_runs_name_leads_anywhere(run_id, site):
    for tail in ("", "/files/passwd", "/replays/x/file", "/metrics/windows"):
        status, body = raw(site, f"/api/runs/{run_id}{tail}")
        assert status in (404, 422) and b"root:" not in body


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_are_followed_nowhere(breakable, copied, run_ids, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    folder = copied / run_ids["tag"]
    (folder / "logs" / "out.txt").symlink_to(secret)
    (folder / "charts").symlink_to(tmp_path)
    (folder / "logs" / "loop").symlink_to(folder / "logs")
    listed = breakable.get(f"/api/runs/{run_ids['tag']}/files").text
    assert "out.txt" not in listed and "secret" not in listed and "loop" not in listed
    for path in ("logs/out.txt", "charts/secret.txt", "logs/loop/out.txt"):
        answer = breakable.get(f"/api/runs/{run_ids['tag']}/files/{path}")
        assert answer.status_code == 404 and "the secret" not in answer.text


@pytest.mark.skipif(os.name == "nt", reason="there are no such files")
def test_a_pipe_in_the_run_does_not_hang_the_server(breakable, copied, run_ids):
    os.mkfifo(copied / run_ids["tag"] / "logs" / "pipe.log")
    assert breakable.get(f"/api/runs/{run_ids['tag']}/files/logs/pipe.log").status_code == 404
    assert "pipe.log" not in breakable.get(f"/api/runs/{run_ids['tag']}/files").text


def test_a_part_of_a_file_can_be_had(site, trained, run_ids):
    whole = (trained / run_ids["tag"] / "checkpoints" / "best.pt").read_bytes()
    path = f"/api/runs/{run_ids['tag']}/files/checkpoints/best.pt"
    part = site.get(path, headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, whole[10:20])
    assert site.get(path, headers={"Range": "bytes=99999999-"}).status_code == 416


def test_a_file_that_a_browser_would_run_is_saved_instead(breakable, copied, run_ids):
    (copied / run_ids["tag"] / "charts").mkdir(exist_ok=True)
    (copied / run_ids["tag"] / "charts" / "page.html").write_text("<script>alert(1)</script>")
    answer = breakable.get(f"/api/runs/{run_ids['tag']}/files/charts/page.html")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"


# ---------------------------------------------------------------- checkpoints and policies


def test_checkpoints_are_listed_with_newest_and_best_marked(site, trained, run_ids):
    run = Store(trained).open(run_ids["tag"])
    body = site.get(f"/api/runs/{run_ids['tag']}/checkpoints").json()
    assert [c["window_id"] for c in body["checkpoints"]] == [0, 1]
    assert [c["newest"] for c in body["checkpoints"]] == [False, True]
    assert body["best_window"] == run.best().window_id
    assert [c["best"] for c in body["checkpoints"]] == [run.best().window_id == w for w in (0, 1)]
    assert [c["env_steps_total"] for c in body["checkpoints"]] == [
        row.env_steps_total for row in run.windows()
    ]


@pytest.mark.parametrize("game", ["tag", "prospector"])
def test_every_policy_runs_as_onnx_with_the_answers_of_the_checkpoint(game, site, trained, run_ids, tmp_path):
    import onnxruntime

    body = site.get(f"/api/runs/{run_ids[game]}/policies").json()
    roles = {"tag": ["seeker", "hider"], "prospector": ["pilot"]}[game]
    assert [(p["window_id"], p["role"]) for p in body["policies"]] == [(w, r) for w in (1, 0) for r in roles]
    for told_policy in body["policies"]:
        data = site.get(told_policy["url"]).content
        session = onnxruntime.InferenceSession(data)
        checkpoint = trained / run_ids[game] / "checkpoints" / f"ckpt_{told_policy['window_id']:06d}.pt"
        policy = load_policy(checkpoint, told_policy["role"])
        seen = np.random.default_rng(1).uniform(-1, 1, (5, policy.spec.observation_size)).astype(np.float32)
        given = {"observations": seen}
        if policy.spec.masked:
            names = {i.name: i.type for i in session.get_inputs()}
            kind = np.uint8 if "uint8" in names["masks"] else np.float32
            given["masks"] = np.ones((5, policy.spec.action_count), kind)
        value = dict(zip([o.name for o in session.get_outputs()], session.run(None, given), strict=True))[
            "value"
        ]
        assert value.reshape(-1) == pytest.approx(policy.values(seen), abs=1e-3)


def test_newest_and_best_are_names_of_policies_too(site, run_ids):
    base = f"/api/runs/{run_ids['tag']}/policies/seeker"
    assert site.get(f"{base}/newest.onnx").content == site.get(f"{base}/1.onnx").content
    assert site.get(f"{base}/best.onnx").status_code == 200


@pytest.mark.parametrize(
    "tail",
    [
        "seeker/9.onnx",
        "pilot/1.onnx",
        "seeker/x.onnx",
        "seeker/-1.onnx",
        "seeker/%C2%B2.onnx",
        "..%2f/1.onnx",
    ],
)
def test_a_policy_that_does_not_exist_is_a_404(tail, site, run_ids):
    answer = site.get(f"/api/runs/{run_ids['tag']}/policies/{tail}")
    assert answer.status_code == 404 and answer.json()["detail"]


def test_a_policy_is_exported_once_and_anew_when_the_weights_change(breakable, copied, run_ids, tmp_path):
    base = f"/api/runs/{run_ids['tag']}/policies/seeker"
    first = breakable.get(f"{base}/0.onnx").content
    (kept,) = (tmp_path / "cache" / "onnx").iterdir()
    made_at = kept.stat().st_mtime_ns
    assert breakable.get(f"{base}/0.onnx").content == first and kept.stat().st_mtime_ns == made_at
    checkpoints = copied / run_ids["tag"] / "checkpoints"
    shutil.copy(checkpoints / "ckpt_000001.pt", checkpoints / "ckpt_000000.pt")
    assert breakable.get(f"{base}/0.onnx").content != first
    assert not list((copied / run_ids["tag"]).glob("exports/*")), "the run folder is not written to"


def test_a_damaged_checkpoint_is_a_422(breakable, copied, run_ids):
    (copied / run_ids["tag"] / "checkpoints" / "ckpt_000000.pt").write_bytes(b"no weights")
    answer = breakable.get(f"/api/runs/{run_ids['tag']}/policies/seeker/0.onnx")
    assert (answer.status_code, answer.json()["error"]) == (422, "damaged")


def test_a_run_without_a_checkpoint_has_no_policies(tmp_path):
    about = {"game": "tag", "trainer_backend": "random", "window_env_steps": 10}
    with Store(tmp_path).create({}, **about) as run:
        run_id = run.run_id
    with serving(runs=tmp_path) as site:
        assert site.get(f"/api/runs/{run_id}/policies").json()["policies"] == []
        answer = site.get(f"/api/runs/{run_id}/policies/seeker/newest.onnx")
        assert (answer.status_code, answer.json()["error"]) == (409, "not_ready")
        assert "no checkpoint yet" in answer.json()["detail"]


# ---------------------------------------------------------------- art


def test_without_adopted_art_the_manifest_has_kenneys(trained, tmp_path):
    with serving(runs=trained, assets=tmp_path / "none") as site:
        manifest = site.get("/api/assets/manifest").json()
        assert {pack["licence"] for pack in manifest["packs"]} == {"CC0-1.0"}
        for path in (*manifest["graphics"].values(), *manifest["packs"][0]["licence_files"]):
            assert site.get(f"/api/assets/{path}").status_code == 200
        for path in ("x/y.png", "..%2f..%2fetc%2fpasswd", "manifest.json"):
            assert raw(site, f"/api/assets/{path}")[0] == 404
