"""Random small ONNX graphs, the same ones for the same seed: to hold one reader of ONNX against another."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper, numpy_helper

OPERATOR_SET, IR_VERSION = 20, 9
UNARY = {
    "Abs": {}, "Ceil": {}, "Cos": {}, "Erf": {}, "Exp": {}, "Floor": {}, "HardSwish": {}, "Mish": {},
    "Neg": {}, "Relu": {}, "Round": {}, "Sigmoid": {}, "Sign": {}, "Sin": {}, "Softplus": {}, "Softsign": {},
    "Tanh": {}, "Identity": {}, "Celu": {"alpha": 0.7}, "Elu": {"alpha": 1.3}, "LeakyRelu": {"alpha": 0.2},
    "HardSigmoid": {"alpha": 0.3, "beta": 0.4}, "Selu": {"alpha": 1.5, "gamma": 1.1},
    "ThresholdedRelu": {"alpha": 0.4},
}  # fmt: skip
REDUCTIONS = (
    "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare",
    "ReduceProd", "ReduceLogSumExp",
)  # fmt: skip


class Graph:
    """Grows node by node; knows the shape of every float value it made."""

    def __init__(self, rng: np.random.Generator):
        self.rng, self.nodes, self.constants = rng, [], []
        self.width = int(rng.integers(1, 9))
        self.shapes = {"x": (1, self.width)}
        self.last = "x"

    def constant(self, shape, scale=1.0):
        """Random numbers: as an initialiser, or as a Constant node."""
        name = f"c{len(self.constants) + len(self.nodes)}"
        values = np.asarray(self.rng.normal(0, scale, shape), np.float32)
        self._keep(name, values)
        return name

    def integers(self, *numbers):
        name = f"i{len(self.constants) + len(self.nodes)}"
        self._keep(name, np.array(numbers, np.int64))
        return name

    def _keep(self, name, values):
        tensor = numpy_helper.from_array(values, name)
        if self.rng.random() < 0.4:
            self.nodes.append(helper.make_node("Constant", [], [name], value=tensor))
        else:
            self.constants.append(tensor)

    def add(self, op, inputs, shape, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, **attributes))
        for name in names:
            self.shapes[name] = tuple(shape)
        self.last = names[int(self.rng.integers(outputs))]
        return names

    def pick(self):
        """Mostly what was made last, sometimes something older: chains, and graphs with several ways."""
        if self.rng.random() < 0.7:
            return self.last
        return str(self.rng.choice(list(self.shapes)))

    def model(self):
        outputs = list(dict.fromkeys([self.last, list(self.shapes)[-1]]))
        declared = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        given = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", self.width])]
        graph = helper.make_graph(self.nodes, "random", given, declared, self.constants)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPERATOR_SET)], ir_version=IR_VERSION
        )


def model(seed):
    """A graph of one to nine operators and how many numbers it takes."""
    rng = np.random.default_rng(seed)
    graph = Graph(rng)
    kinds = list(KINDS)
    for _ in range(int(rng.integers(1, 10))):
        KINDS[kinds[int(rng.integers(len(kinds)))]](graph)
    return graph.model(), graph.width


# ---------------------------------------------------------------- one operator more


def _flat(graph):
    """A value of two sides."""
    name = graph.pick()
    shape = graph.shapes[name]
    if len(shape) == 2:
        return name
    size = int(np.prod(shape))
    return graph.add("Reshape", [name, graph.integers(1, -1)], (1, size))[0]


def _gemm(graph):
    rng, a = graph.rng, _flat(graph)
    high, wide = graph.shapes[a]
    flags = {}
    if high == 1 and rng.random() < 0.2:
        a = graph.add("Transpose", [a], (wide, high), perm=[1, 0])[0]
        flags["transA"] = 1
    across = int(rng.integers(1, 9))
    turned = rng.random() < 0.5
    b = graph.constant((across, wide) if turned else (wide, across), 0.6)
    flags |= {"transB": 1} if turned else {}
    flags |= {"alpha": float(rng.normal(0, 1.5))} if rng.random() < 0.4 else {}
    flags |= {"beta": float(rng.normal(0, 1.5))} if rng.random() < 0.4 else {}
    inputs = [a, b]
    if rng.random() < 0.7:
        shapes = [(across,), (1, across), (high, 1), (1,), (), (high, across)]
        inputs.append(graph.constant(shapes[int(rng.integers(len(shapes)))]))
    graph.add("Gemm", inputs, (high, across), **flags)


def _matmul(graph):
    rng, a = graph.rng, graph.pick()
    shape = graph.shapes[a]
    if not shape:
        return
    across = int(rng.integers(1, 7))
    if len(shape) > 1 and rng.random() < 0.2:
        graph.add("MatMul", [graph.constant((3, shape[-2])), a], (*shape[:-2], 3, shape[-1]))
    elif rng.random() < 0.2:
        graph.add("MatMul", [a, graph.constant((shape[-1],))], shape[:-1])
    elif rng.random() < 0.2 and _fits(shape[:-2], (2,)):
        batch = np.broadcast_shapes(shape[:-2], (2,))
        side = (*batch, shape[-2], across) if len(shape) > 1 else (2, across)
        graph.add("MatMul", [a, graph.constant((2, shape[-1], across), 0.6)], side)
    else:
        graph.add("MatMul", [a, graph.constant((shape[-1], across), 0.6)], (*shape[:-1], across))


def _fits(shape, other):
    """Whether two shapes broadcast."""
    pairs = zip(reversed(shape), reversed(other), strict=False)
    return all(one == two or 1 in (one, two) for one, two in pairs)


def _partner(graph, shape):
    """A shape that broadcasts with this one, larger ones too."""
    rng = graph.rng
    ways = [shape, (), (1,), *([(shape[-1],)] if shape else [])]
    ways.append(tuple(1 if rng.random() < 0.5 else side for side in shape))
    ways.append((2, *shape))
    return ways[int(rng.integers(len(ways)))]


def _pair(graph, op, far=False):
    a = graph.pick()
    shape = graph.shapes[a]
    other = _partner(graph, shape)
    b = graph.constant(other)
    if far:  # away from 0
        b = graph.add("Add", [graph.add("Abs", [b], other)[0], graph.constant(())], other)[0]
        b = graph.add("Max", [b, _single(graph, 0.5)], other)[0]
    sides = [a, b] if graph.rng.random() < 0.5 or far else [b, a]
    return graph.add(op, sides, np.broadcast_shapes(shape, other))


def _single(graph, value):
    name = f"s{len(graph.constants) + len(graph.nodes)}"
    if graph.rng.random() < 0.3:
        graph.nodes.append(helper.make_node("Constant", [], [name], value_float=float(value)))
    else:
        graph._keep(name, np.float32(value))
    return name


def _divide(graph):
    _pair(graph, "Div", far=True)


def _power(graph):
    a = graph.pick()
    shape = graph.shapes[a]
    if graph.rng.random() < 0.5:
        graph.add("Pow", [a, _single(graph, float(graph.rng.integers(1, 4)))], shape)
        return
    safe = graph.add("Max", [graph.add("Abs", [a], shape)[0], _single(graph, 0.2)], shape)[0]
    graph.add("Pow", [safe, _single(graph, graph.rng.normal())], shape)


def _root(graph):
    a = graph.pick()
    shape = graph.shapes[a]
    safe = graph.add("Max", [graph.add("Abs", [a], shape)[0], _single(graph, 0.2)], shape)[0]
    graph.add(str(graph.rng.choice(["Sqrt", "Log", "Reciprocal"])), [safe], shape)


def _unary(graph):
    op = str(graph.rng.choice(list(UNARY)))
    a = graph.pick()
    usual = graph.rng.random() < 0.5 and op != "Identity"
    graph.add(op, [a], graph.shapes[a], **({} if usual else UNARY[op]))


def _gelu(graph):
    a = graph.pick()
    how = {} if graph.rng.random() < 0.4 else {"approximate": str(graph.rng.choice(["none", "tanh"]))}
    graph.add("Gelu", [a], graph.shapes[a], **how)


def _clip(graph):
    low, high = sorted(graph.rng.normal(0, 1, 2))
    a = graph.pick()
    ways = [
        [a, _single(graph, low), _single(graph, high)],
        [a, _single(graph, low)],
        [a, "", _single(graph, high)],
        [a],
        [a, _single(graph, high), _single(graph, low)],
    ]
    graph.add("Clip", ways[int(graph.rng.integers(5))], graph.shapes[a])


def _axis(graph, shape, beyond=0):
    sides = len(shape) + beyond
    return int(graph.rng.integers(-sides, sides))


def _softmax(graph):
    a = graph.pick()
    shape = graph.shapes[a]
    if shape:
        usual = {} if graph.rng.random() < 0.3 else {"axis": _axis(graph, shape)}
        graph.add(str(graph.rng.choice(["Softmax", "LogSoftmax"])), [a], shape, **usual)


def _normalise(graph):
    a = graph.pick()
    shape = graph.shapes[a]
    if not shape or shape[-1] < 3:
        return
    axis = _axis(graph, shape) if graph.rng.random() < 0.5 else -1
    inner = shape[axis:] if axis < 0 else shape[axis - len(shape) :]
    inputs = [a, graph.constant(inner)] + ([graph.constant(inner)] if graph.rng.random() < 0.6 else [])
    more = {"epsilon": 0.01} if graph.rng.random() < 0.5 else {}
    graph.add("LayerNormalization", inputs, shape, axis=axis, **more)


def _reduce(graph):
    a = graph.pick()
    shape = graph.shapes[a]
    op = str(graph.rng.choice(REDUCTIONS))
    keep = int(graph.rng.integers(2))
    if graph.rng.random() < 0.3 or not shape:
        graph.add(op, [a], (1,) * len(shape) if keep else (), keepdims=keep)
        return
    axis = _axis(graph, shape)
    at = axis % len(shape)
    left = (*shape[:at], *([1] if keep else []), *shape[at + 1 :])
    graph.add(op, [a, graph.integers(axis)], left, keepdims=keep)


def _choice(graph):
    a = graph.pick()
    shape = graph.shapes[a]
    if not shape:
        return
    axis = _axis(graph, shape)
    at = axis % len(shape)
    best = f"best{len(graph.nodes)}"
    op, last = str(graph.rng.choice(["ArgMax", "ArgMin"])), int(graph.rng.integers(2))
    graph.nodes.append(helper.make_node(op, [a], [best], axis=axis, keepdims=1, select_last_index=last))
    graph.add("Cast", [best], (*shape[:at], 1, *shape[at + 1 :]), to=TensorProto.FLOAT)


def _where(graph):
    a = graph.pick()
    shape = graph.shapes[a]
    other, third = _partner(graph, shape), _partner(graph, shape)
    flags = f"flags{len(graph.nodes)}"
    op = str(graph.rng.choice(["Greater", "Less", "GreaterOrEqual", "LessOrEqual"]))
    graph.nodes.append(helper.make_node(op, [a, graph.constant(other)], [flags]))
    if graph.rng.random() < 0.4:
        graph.nodes.append(helper.make_node("Not", [flags], [f"not_{flags}"]))
        flags = f"not_{flags}"
    both = np.broadcast_shapes(shape, other)
    if graph.rng.random() < 0.3:
        graph.add("Cast", [flags], both, to=TensorProto.FLOAT)
        return
    graph.add("Where", [flags, a, graph.constant(third)], np.broadcast_shapes(both, shape, third))


def _concat(graph):
    a = graph.pick()
    shape = graph.shapes[a]
    if not shape:
        return
    axis = _axis(graph, shape)
    at = axis % len(shape)
    more = int(graph.rng.integers(1, 4))
    b = graph.constant((*shape[:at], more, *shape[at + 1 :]))
    inputs = [a, b, a] if graph.rng.random() < 0.3 else [b, a]
    side = more + shape[at] * (len(inputs) - 1)
    graph.add("Concat", inputs, (*shape[:at], side, *shape[at + 1 :]), axis=axis)


def _slice(graph):
    a = graph.pick()
    shape = graph.shapes[a]
    if not shape:
        return
    axis = _axis(graph, shape)
    at, rng = axis % len(shape), graph.rng
    start, end = int(rng.integers(-9, 9)), int(rng.choice([-2, 1, 3, 5, 2**31 - 1, 2**63 - 1, -(2**63)]))
    step = int(rng.choice([1, 1, 2, -1, -2]))
    found = np.zeros(shape)[(slice(None),) * at + (_python_slice(start, end, step, shape[at]),)].shape
    if 0 in found:
        return
    graph.add("Slice", [a, *(graph.integers(n) for n in (start, end, axis, step))], found)


def _python_slice(start, end, step, side):
    """ONNX counts down to before the first with a very negative end; Python with none."""
    low = start + side if start < 0 else start
    high = end + side if end < 0 else end
    if step > 0:
        return slice(min(max(low, 0), side), min(max(high, 0), side), step)
    low, high = min(max(low, 0), side - 1), min(max(high, -1), side - 1)
    return slice(low, None if high < 0 else high, step)


def _split(graph):
    a = graph.pick()
    shape = graph.shapes[a]
    if not shape or shape[-1] < 2:
        return
    first = int(graph.rng.integers(1, shape[-1]))
    if 2 * first == shape[-1]:
        graph.add("Split", [a], (*shape[:-1], first), outputs=2, axis=-1, num_outputs=2)
        return
    parts = graph.integers(first, shape[-1] - first)
    names = graph.add("Split", [a, parts], (*shape[:-1], first), outputs=2, axis=-1)
    graph.shapes[names[1]] = (*shape[:-1], shape[-1] - first)


def _reshape(graph):
    a = graph.pick()
    shape = graph.shapes[a]
    size, way = int(np.prod(shape)), int(graph.rng.integers(6))
    if way == 0:
        graph.add("Reshape", [a, graph.integers(-1)], (size,))
    elif way == 1 and len(shape) == 2:
        graph.add("Reshape", [a, graph.integers(0, -1, 1)], (*shape, 1))
    elif way == 2 and size % 2 == 0:
        graph.add("Reshape", [a, graph.integers(2, -1)], (2, size // 2))
    elif way == 3:
        axis = _axis(graph, shape) if shape else 0
        at = axis % len(shape) if shape else 0
        high = int(np.prod(shape[:at]))
        graph.add("Flatten", [a], (high, size // high), axis=axis)
    elif way == 4:
        graph.add("Unsqueeze", [a, graph.integers(0, -1)], (1, *shape, 1))
    elif 1 in shape:
        graph.add("Squeeze", [a], tuple(side for side in shape if side != 1))


def _turn(graph):
    a = graph.pick()
    shape = graph.shapes[a]
    order = [int(i) for i in graph.rng.permutation(len(shape))]
    if graph.rng.random() < 0.3 or not shape:
        graph.add("Transpose", [a], shape[::-1])
    else:
        graph.add("Transpose", [a], [shape[i] for i in order], perm=order)


def _gather(graph):
    a = graph.pick()
    shape = graph.shapes[a]
    if not shape:
        return
    axis = _axis(graph, shape)
    at = axis % len(shape)
    picked = [int(graph.rng.integers(-shape[at], shape[at])) for _ in range(3)]
    graph.add("Gather", [a, graph.integers(*picked)], (*shape[:at], 3, *shape[at + 1 :]), axis=axis)


def _gather_each(graph):
    a = graph.pick()
    shape = graph.shapes[a]
    if not shape or 0 in shape:
        return
    axis = _axis(graph, shape)
    at = axis % len(shape)
    sides = [int(graph.rng.integers(1, side + 1)) for side in shape]
    name = f"e{len(graph.nodes)}"
    graph._keep(name, graph.rng.integers(-shape[at], shape[at], sides).astype(np.int64))
    graph.add("GatherElements", [a, name], sides, axis=axis)


def _extremes(graph):
    a = graph.pick()
    shape = graph.shapes[a]
    others = [_partner(graph, shape) for _ in range(int(graph.rng.integers(0, 3)))]
    inputs = [*(graph.constant(other) for other in others), a]
    op = str(graph.rng.choice(["Min", "Max"]))
    graph.add(op, inputs, np.broadcast_shapes(shape, *others))


def _picture(graph):
    """A value of [1, channels, sides…], of numbers made from what there is, and its shape."""
    rng = graph.rng
    sides = [int(n) for n in rng.integers(2, 7, int(rng.integers(1, 4)))]
    shape = (1, 2 * int(rng.integers(1, 3)), *sides)
    flat = _flat(graph)
    high, wide = graph.shapes[flat]
    if high != 1:
        flat = graph.add("Reshape", [flat, graph.integers(1, -1)], (1, high * wide))[0]
        wide *= high
    across = int(np.prod(shape))
    many = graph.add("MatMul", [flat, graph.constant((wide, across), 0.5)], (1, across))[0]
    return graph.add("Reshape", [many, graph.integers(*shape)], shape)[0], shape


def _window(graph, sides, kernel, most_padding, rounding=False):
    """Attributes of a sliding window, and the sides of its output; None where it does not fit."""
    rng, made = graph.rng, {}
    count = len(sides)
    strides = [int(n) for n in rng.integers(1, 4, count)] if rng.random() < 0.6 else [1] * count
    dilations = [int(n) for n in rng.integers(1, 3, count)] if rng.random() < 0.4 else [1] * count
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    made |= {"strides": strides} if strides != [1] * count else {}
    made |= {"dilations": dilations} if dilations != [1] * count else {}
    if rng.random() < 0.3 and max(dilations) == 1:
        how = str(rng.choice(["SAME_UPPER", "SAME_LOWER", "VALID"]))
        if how == "VALID":
            out = [(n - r) // s + 1 if n >= r else 0 for n, r, s in zip(sides, reach, strides, strict=True)]
        elif rounding and any(s > r for s, r in zip(strides, reach, strict=True)):
            return None  # onnxruntime refuses gaps between the windows of a MaxPool
        else:
            out = [-(-n // s) for n, s in zip(sides, strides, strict=True)]
        return (made | {"auto_pad": how}, out) if min(out) > 0 else None
    before, after = (
        [int(rng.integers(0, most_padding(k) + 1)) for k in kernel] if rng.random() < 0.5 else [0] * count
        for _ in range(2)
    )  # fmt: skip
    made |= {"pads": [*before, *after]} if any(before + after) else {}
    up = rounding and rng.random() < 0.4
    made |= {"ceil_mode": 1} if up else {}
    out = []
    for n, r, s, b, a in zip(sides, reach, strides, before, after, strict=True):
        free = n + b + a - r
        if free < 0:
            return None
        steps = -(-free // s) + 1 if up else free // s + 1
        if (steps - 1) * s >= n + b:
            return None  # a last window beyond the picture: ONNX's own shape inference disagrees about it
        out.append(steps)
    return made, out


def _convolve(graph):
    rng = graph.rng
    a, shape = _picture(graph)
    kernel = [int(n) for n in rng.integers(1, 4, len(shape) - 2)]
    found = _window(graph, shape[2:], kernel, lambda k: 2)
    if found is None:
        return
    flags, out = found
    group = int(rng.choice([1, 1, 2, shape[1]]))
    across = group * int(rng.integers(1, 4))
    inputs = [a, graph.constant((across, shape[1] // group, *kernel), 0.4)]
    inputs += [graph.constant((across,))] if rng.random() < 0.6 else []
    flags |= {"group": group} if group > 1 else {}
    flags |= {"kernel_shape": kernel} if rng.random() < 0.5 else {}
    graph.add("Conv", inputs, (1, across, *out), **flags)


def _pool(graph):
    rng = graph.rng
    a, shape = _picture(graph)
    way = int(rng.integers(4))
    if way == 0:
        op = str(rng.choice(["GlobalAveragePool", "GlobalMaxPool"]))
        graph.add(op, [a], (*shape[:2], *(1 for _ in shape[2:])))
        return
    kernel = [int(n) for n in rng.integers(1, 4, len(shape) - 2)]
    found = _window(graph, shape[2:], kernel, lambda k: k - 1, rounding=True)
    if found is None:
        return
    flags, out = found
    if way == 1:
        graph.add("MaxPool", [a], (*shape[:2], *out), kernel_shape=kernel, **flags)
        return
    flags |= {"count_include_pad": 1} if rng.random() < 0.5 else {}
    graph.add("AveragePool", [a], (*shape[:2], *out), kernel_shape=kernel, **flags)


def _batch_normalise(graph):
    a, shape = _picture(graph)
    channels = (shape[1],)
    spread = graph.add("Abs", [graph.constant(channels)], channels)[0]
    spread = graph.add("Max", [spread, _single(graph, 0.3)], channels)[0]
    more = {"epsilon": 0.01} if graph.rng.random() < 0.5 else {}
    inputs = [a, *(graph.constant(channels) for _ in range(3)), spread]
    graph.add("BatchNormalization", inputs, shape, **more)


def _recurrent(graph):
    rng = graph.rng
    op, gates = [("GRU", 3), ("LSTM", 4), ("RNN", 1)][int(rng.integers(3))]
    flat = _flat(graph)
    steps, numbers = graph.shapes[flat]
    x = graph.add("Reshape", [flat, graph.integers(steps, 1, numbers)], (steps, 1, numbers))[0]
    units = int(rng.integers(1, 6))
    way = str(rng.choice(["forward", "reverse", "bidirectional"]))
    ways = 2 if way == "bidirectional" else 1
    inputs = [x, graph.constant((ways, gates * units, numbers), 0.5)]
    inputs.append(graph.constant((ways, gates * units, units), 0.5))
    inputs.append(graph.constant((ways, 2 * gates * units), 0.5) if rng.random() < 0.7 else "")
    if rng.random() < 0.5:
        inputs += ["", graph.constant((ways, 1, units))]
        inputs += [graph.constant((ways, 1, units))] if op == "LSTM" and rng.random() < 0.6 else []
    flags = {"hidden_size": units} | ({"direction": way} if way != "forward" else {})
    flags |= {"linear_before_reset": int(rng.integers(2))} if op == "GRU" else {}
    names = [f"r{len(graph.nodes)}_{i}" for i in range(3 if op == "LSTM" else 2)]
    shapes = [(steps, ways, 1, units)] + [(ways, 1, units)] * (len(names) - 1)
    for i in range(len(names) - 1):  # outputs that nobody needs may be left out
        if rng.random() < 0.3:
            names[i] = ""
    graph.nodes.append(helper.make_node(op, inputs, names, **flags))
    graph.shapes |= {name: shape for name, shape in zip(names, shapes, strict=True) if name}
    graph.last = names[-1]


def _slope(graph):
    a = graph.pick()
    shape = graph.shapes[a]
    ways = [shape, (1,), *([(shape[-1],)] if shape else [])]
    if shape or graph.rng.random() < 0.5:
        way = ways[int(graph.rng.integers(len(ways)))] if shape else ()
        graph.add("PRelu", [a, graph.constant(way)], shape)


KINDS = {
    "convolve": _convolve, "pool": _pool, "batch normalise": _batch_normalise, "recurrent": _recurrent,
    "slope": _slope,
    "gemm": _gemm, "gemm again": _gemm, "matmul": _matmul, "divide": _divide, "power": _power, "root": _root,
    "add": lambda graph: _pair(graph, "Add"), "subtract": lambda graph: _pair(graph, "Sub"),
    "multiply": lambda graph: _pair(graph, "Mul"), "unary": _unary, "unary again": _unary, "gelu": _gelu,
    "clip": _clip, "softmax": _softmax, "normalise": _normalise, "reduce": _reduce, "choice": _choice,
    "where": _where, "concat": _concat, "slice": _slice, "split": _split, "reshape": _reshape, "turn": _turn,
    "gather": _gather, "gather each": _gather_each, "extremes": _extremes,
}  # fmt: skip
