"""The engine as WebAssembly, in node: the same bits, and a module that a page can use."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from builds import ENGINE, need, run, wasm_build
from traces import CASES, assert_same_trace, golden, trace, wasm_arguments

import sandlot

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def node():
    return need("node", "install Node 20 or newer (nodejs.org, or apt-get install nodejs)")


@pytest.fixture(scope="session")
def module(node):
    return wasm_build.build_if_stale()


@pytest.mark.parametrize("each", [False, True], ids=["digests", "steps"])
@pytest.mark.parametrize("case", CASES)
def test_webassembly_prints_the_golden_trace(case, each, node, module):
    program = [node, str(ENGINE / "wasm" / "trace.mjs"), str(module)]
    found = trace(program, wasm_arguments(CASES[case], each))
    assert_same_trace(found, golden(f"{case}_steps" if each else case), "WebAssembly in node")


def test_the_loader_keeps_its_promises(node, module):
    done = subprocess.run(
        [node, "--test", str(HERE / "loader.test.mjs")],
        env=os.environ | {"SANDLOT_WASM": str(module)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_the_module_asks_nothing_of_the_page_and_offers_the_whole_door(node, module):
    script = "const m = new WebAssembly.Module(require('fs').readFileSync(process.argv[1]));"
    script += "console.log(WebAssembly.Module.imports(m).length);"
    script += "for (const e of WebAssembly.Module.exports(m)) console.log(e.name)"
    wanted, *offered = run([node, "-e", script, str(module)]).stdout.split()
    assert wanted == "0"
    assert set(wasm_build.exported()) <= set(offered)


@pytest.mark.parametrize("game", sandlot.games())
def test_a_world_kept_in_python_goes_on_in_the_browser(game, node, module, tmp_path):
    world = sandlot.make(game, seed=5)
    world.reset(seed=5)
    for _ in range(20):
        world.step()
    (tmp_path / "state").write_bytes(world.snapshot(0))
    script = HERE / "restore.mjs"
    printed = run([node, str(script), str(module), game, str(tmp_path / "state"), "15"]).stdout.split()
    for _ in range(15):
        world.step()
    assert [int(word, 16) for word in printed] == [world.hash(0)]
