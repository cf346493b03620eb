"""An error of ours that is raised within a `try` leaves it as it is: most of them are ValueErrors too."""

import ast
import builtins
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandlot import errors

SOURCE = Path(__file__).parent.parent / "src" / "sandlot"
OURS = {name: value for name, value in vars(errors).items() if inspect.isclass(value)}
OTHER_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Try)


def raised_within(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of each error that a block raises itself."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
        yield node.lineno, node.exc.func.id
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, OTHER_SCOPES):
            yield from raised_within(child)


def caught_by_accident(tree: ast.Module) -> list[str]:
    """Errors of ours that a handler of their own `try` catches as ValueError, OSError or the like."""
    found = []
    for block in (node for node in ast.walk(tree) if isinstance(node, ast.Try)):
        handlers = [
            getattr(builtins, ast.unparse(kind), None)
            for handler in block.handlers
            if not (isinstance(handler.body[-1], ast.Raise) and handler.body[-1].exc is None)
            for kind in (handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type])
            if kind is not None
        ]
        kinds = tuple(kind for kind in handlers if inspect.isclass(kind))
        for part in block.body:
            if not isinstance(part, OTHER_SCOPES):
                found += [
                    f"{line}: {name}" for line, name in raised_within(part)
                    if name in OURS and issubclass(OURS[name], kinds)
                ]  # fmt: skip
    return found


def test_no_error_of_ours_is_caught_by_the_block_that_raises_it():
    found = [
        f"{path.relative_to(SOURCE)}:{each}"
        for path in sorted(SOURCE.rglob("*.py"))
        for each in caught_by_accident(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("handler", "is_caught"),
    [
        ("except ValueError: pass", True),
        ("except (OSError, ValueError) as e: raise TypeError(e)", True),
        ("except Exception: pass", True),
        ("except OSError: pass", False),
        ("except BaseException:\n  close()\n  raise", False),
    ],
)
def test_an_error_that_would_be_caught_is_found(handler, is_caught):
    text = f"try:\n if large:\n  raise Damaged('large')\n{handler}\n"
    assert caught_by_accident(ast.parse(text)) == (["3: Damaged"] if is_caught else [])
