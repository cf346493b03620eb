"""ONNX graphs in a stock Godot answer as onnxruntime does, or are refused by name; no silent difference."""

import json
import warnings

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

from sandlot.bridge.godot_process import GodotProcess

from . import graphs

CHECK = "res://tests/onnx_check.gd"
LIMIT_S = 240
SEED, GRAPHS, ROWS = 18, 400, 3
CLOSE = 1e-5
LARGEST = 1e3  # of any output: beyond, rounding of both sides differs for reasons of its own


def answers(path, inputs):
    """What onnxruntime says, one input after the other."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return [dict(zip(names, session.run(None, given), strict=True)) for given in inputs]


def in_godot(engine, project, folder, cases):
    """cases: paths with their inputs. The results of one Godot process for all of them."""
    described = [
        {
            "path": str(path),
            "inputs": [{name: np.ravel(v).tolist() for name, v in one.items()} for one in inputs],
        }
        for path, inputs in cases
    ]
    (folder / "cases.json").write_text(json.dumps(described))
    words = ["--script", CHECK, "--", str(folder / "cases.json"), str(folder / "out.json")]
    with GodotProcess(words, project=project, engine=engine) as process:
        ended = process.wait(LIMIT_S)
        log = process.log.read_text(errors="replace")
    assert ended.code == 0, ended.output
    assert "SCRIPT ERROR" not in log, log[:4000]
    return json.loads((folder / "out.json").read_text(), strict=False)  # Godot leaves control characters


def compare(found, wanted, what):
    assert not found["problem"], f"{what}: {found['problem']}"
    for mine, theirs in zip(found["outputs"], wanted, strict=True):
        assert set(mine) == set(theirs), what
        for name, values in theirs.items():
            assert found["shapes"][name] == list(values.shape), f"{what}, {name}"
            near = CLOSE * max(1.0, float(np.abs(values).max(initial=0)))
            got = np.array(mine[name], np.float64).reshape(values.shape)
            np.testing.assert_allclose(got, values, rtol=CLOSE, atol=near, err_msg=f"{what}, {name}")


def test_random_graphs_give_the_answers_of_onnxruntime(engine, project, tmp_path):
    cases, wanted, used, seed = [], [], set(), SEED * 1000
    while len(cases) < GRAPHS:
        seed += 1
        made, width = graphs.model(seed)
        path = tmp_path / f"{seed}.onnx"
        onnx.save(made, path)
        rows = np.random.default_rng(seed).normal(0, 1, (ROWS, 1, width)).astype(np.float32)
        inputs = [{"x": row} for row in rows]
        answer = answers(path, inputs)
        if all(
            np.isfinite(v).all() and np.abs(v).max(initial=0) < LARGEST
            for one in answer
            for v in one.values()
        ):
            cases.append((path, inputs))
            wanted.append(answer)
            used |= {node.op_type for node in made.graph.node}
    for (path, _), found, answer in zip(
        cases, in_godot(engine, project, tmp_path, cases), wanted, strict=True
    ):
        compare(found, answer, f"graph {path.stem}")
    assert len(used) > 70, sorted(used)
    assert {"Conv", "MaxPool", "AveragePool", "BatchNormalization", "GRU", "LSTM", "RNN", "PRelu"} <= used


# ---------------------------------------------------------------- what is known to have been wrong


def saved(path, nodes, constants=(), inputs=None, outputs=("y",), operator_set=17):
    given = [
        helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (inputs or {"x": ["n", 3]}).items()
    ]
    declared = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in dict(constants).items()]
    graph = helper.make_graph(nodes, "made", given, declared, tensors)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", operator_set)], ir_version=9)
    onnx.save(made, path)
    return path


def test_graphs_that_were_answered_wrongly_are_right(engine, project, tmp_path):
    f32 = np.float32
    square, tall = f32(np.arange(9).reshape(3, 3)), f32(np.arange(6).reshape(3, 2))
    node = helper.make_node
    made = {
        "Gemm without transB": ([node("Gemm", ["x", "w", "b"], ["y"])], {"w": square, "b": f32([1, 2, 3])}),
        "Gemm with alpha": ([node("Gemm", ["x", "w"], ["y"], alpha=13.0)], {"w": tall}),
        "Gemm with beta": ([node("Gemm", ["x", "w", "b"], ["y"], beta=5.0)], {"w": tall, "b": f32([1, 2])}),
        "Gemm without bias": ([node("Gemm", ["x", "w"], ["y"], transB=1)], {"w": f32([[1, 2, 3]])}),
        "one minus": ([node("Sub", ["one", "x"], ["y"])], {"one": f32([1])}),
        "one minus, a scalar": ([node("Sub", ["one", "x"], ["y"])], {"one": f32(1)}),
        "divided into": ([node("Div", ["two", "x"], ["y"])], {"two": f32(2)}),
        "larger on the left": ([node("Sub", ["w", "x"], ["y"])], {"w": square}),
        "a constant": ([node("Constant", [], ["c"], value_floats=[1.0, 2.0, 3.0]),
                        node("Mul", ["c", "x"], ["y"])], {}),
        "only constants": ([node("Constant", [], ["c"], value_float=2.5), node("Neg", ["c"], ["y"])], {}),
        "an output that is an input": ([node("Identity", ["x"], ["y"])], {}),
    }  # fmt: skip
    inputs = [{"x": f32([[0.5, -2, 3]])}, {"x": f32([[1, 4, -0.25]])}]
    cases = [
        (saved(tmp_path / f"{i}.onnx", nodes, constants), inputs)
        for i, (nodes, constants) in enumerate(made.values())
    ]
    found = in_godot(engine, project, tmp_path, cases)
    for name, (path, _), one in zip(made, cases, found, strict=True):
        compare(one, answers(path, inputs), name)


def test_what_is_not_known_is_refused_by_name(engine, project, tmp_path):
    node, f32 = helper.make_node, np.float32
    w, integers = {"w": f32(np.ones((3, 3)))}, np.int64
    refused = {
        "Conv": ([node("Conv", ["x", "w"], ["y"])], w, {}),
        "CumSum": ([node("CumSum", ["x", "k"], ["y"])], {"k": integers(1)}, {}),
        "com.acme": ([node("Relu", ["x"], ["y"], domain="com.acme")], {}, {}),
        "sharpness": ([node("Relu", ["x"], ["y"], sharpness=3)], {}, {}),
        "transC": ([node("Gemm", ["x", "w"], ["y"], transC=1)], w, {}),
        "alpha": ([node("Gemm", ["x", "w"], ["y"], alpha=2)], w, {}),
        "approximate": ([node("Gelu", ["x"], ["y"], approximate="near")], {}, {"operator_set": 20}),
        "to = 10": ([node("Cast", ["x"], ["y"], to=10)], {}, {}),
        "type 11": ([node("Add", ["x", "d"], ["y"])], {"d": np.float64(1)}, {}),
        "operator set 11": ([node("Softmax", ["x"], ["y"])], {}, {"operator_set": 11}),
        "operator set 99": ([node("Softmax", ["x"], ["y"])], {}, {"operator_set": 99}),
        "which nothing before it makes": ([node("Relu", ["z"], ["y"])], {}, {}),
        "nothing makes its output": ([node("Relu", ["x"], ["z"])], {}, {}),
        "two nodes make y": ([node("Relu", ["x"], ["y"]), node("Abs", ["x"], ["y"])], {}, {}),
        "has 1 inputs": ([node("Add", ["x"], ["y"])], {}, {}),
        "do not fit": ([node("MatMul", ["x", "w"], ["y"])], {"w": f32(np.ones((4, 2)))}, {}),
        "no constant of whole numbers": ([node("Reshape", ["x", "w"], ["y"])], w, {}),
        "cannot become": ([node("Reshape", ["x", "s"], ["y"])], {"s": integers([2, 2])}, {}),
        "beyond 2^24": ([node("Cast", ["k"], ["y"], to=1)], {"k": integers(2**40)}, {}),
        "Softmax (y): axis = 5": ([node("Softmax", ["x"], ["y"], axis=5)], {}, {}),
        "lacks its attribute axis": ([node("Concat", ["x"], ["y"])], {}, {}),
        "too large": ([node("Expand", ["x", "s"], ["y"])], {"s": integers([2**20, 2**20, 3])}, {}),
    }  # fmt: skip
    paths = [
        saved(tmp_path / f"{i}.onnx", nodes, constants, **more)
        for i, (nodes, constants, more) in enumerate(refused.values())
    ]
    found = in_godot(engine, project, tmp_path, [(path, [{"x": [1, 2, 3]}]) for path in paths])
    for words, one in zip(refused, found, strict=True):
        answer = one["problem"]
        assert (words in answer or "cannot become" in answer) and answer.endswith("."), (words, answer)
        assert not one["outputs"]


# ---------------------------------------------------------------- what PyTorch writes


class Clamped(torch.nn.Module):
    def forward(self, x):
        return torch.clamp(x, -0.5, 0.7)


ACTIVATIONS = {
    "ReLU": torch.nn.ReLU, "Tanh": torch.nn.Tanh, "SiLU": torch.nn.SiLU, "GELU": torch.nn.GELU,
    "ReLU6": torch.nn.ReLU6, "Hardtanh": torch.nn.Hardtanh, "clamp": Clamped, "ELU": torch.nn.ELU,
    "LayerNorm": lambda: torch.nn.LayerNorm(16), "Softplus": torch.nn.Softplus,
    "LeakyReLU": torch.nn.LeakyReLU, "Hardswish": torch.nn.Hardswish,
    "GELU by tanh": lambda: torch.nn.GELU("tanh"), "Softmax": lambda: torch.nn.Softmax(dim=-1),
    "LogSoftmax": lambda: torch.nn.LogSoftmax(dim=1), "Sigmoid": torch.nn.Sigmoid, "Mish": torch.nn.Mish,
}  # fmt: skip


def exported(path, network, dynamo):
    shape = {"dynamic_shapes": ({0: "rows"},)} if dynamo else {"dynamic_axes": {"x": {0: "rows"}}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network, (torch.zeros(2, 5),), str(path), input_names=["x"], output_names=["y"], dynamo=dynamo,
            verbose=False, external_data=False, **shape,
        )  # fmt: skip


@pytest.mark.parametrize(
    "dynamo",
    [
        pytest.param(False, id="TorchScript exporter"),
        pytest.param(True, id="dynamo exporter", marks=pytest.mark.slow),
    ],
)
def test_networks_that_pytorch_exported_are_played_alike(dynamo, engine, project, tmp_path):
    if dynamo:
        pytest.importorskip("onnxscript")
    torch.manual_seed(3)
    rows = np.random.default_rng(3).normal(0, 1.5, (6, 1, 5)).astype(np.float32)
    inputs, cases, networks = [{"x": row} for row in rows], [], {}
    for name, activation in ACTIVATIONS.items():
        layers = [torch.nn.Linear(5, 16), activation(), torch.nn.Linear(16, 3, bias=name != "ReLU")]
        networks[name] = torch.nn.Sequential(*layers).eval()
        path = tmp_path / f"{name}.onnx"
        exported(path, networks[name], dynamo)
        cases.append((path, inputs))
    for (name, network), found in zip(
        networks.items(), in_godot(engine, project, tmp_path, cases), strict=True
    ):
        with torch.no_grad():
            wanted = [{"y": network(torch.from_numpy(one["x"])).numpy()} for one in inputs]
        compare(found, wanted, name)


# ---------------------------------------------------------------- damaged files


def test_damaged_files_are_a_sentence_and_no_error_of_the_script(engine, project, tmp_path):
    rng, cases = np.random.default_rng(SEED), []
    for i in range(400):
        data = bytearray(graphs.model(SEED * 5000 + i % 20)[0].SerializeToString())
        if i % 4 == 0:
            data = data[: int(rng.integers(len(data)))]
        for place in rng.integers(0, max(1, len(data)), 0 if i % 4 == 0 else 1 + i % 4):
            data[int(place)] = int(rng.integers(256))
        path = tmp_path / f"{i}.onnx"
        path.write_bytes(bytes(data))
        cases.append((path, []))
    found = in_godot(engine, project, tmp_path, cases)  # no SCRIPT ERROR in what it says
    refused = [one["problem"] for one in found if one["problem"]]
    assert len(refused) > 150 and all(text.endswith(".") for text in refused)
