"""Every kernel file keeps the rules that make cached kernels safe; read from the source, nothing is compiled.

A cached kernel does not notice a change in another file, hence no call into one; without the flags it would be
compiled at every start, or hold up the other threads.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "mqdiag"
FILES = sorted(
    file
    for file in PACKAGE.rglob("*.py")
    if "\n@njit" in file.read_text() and "_kernel_cache" not in file.parts
)
FLAGS = {"cache", "nogil"}
ALLOWED_FLAGS = FLAGS | {"inline"}


def problems(source: str) -> list[str]:
    """What breaks the rules in one file."""
    tree = ast.parse(source)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [
                f"imports {name.name}"
                for name in node.names
                if name.name.split(".")[0] not in ("numpy", "numba")
            ]
        if isinstance(node, ast.ImportFrom) and node.module not in ("__future__", "numba", "numpy"):
            found.append(f"imports from {node.module}")
        if isinstance(node, ast.FunctionDef):
            found += [f"{node.name}: {problem}" for problem in function_problems(node)]
    local = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    known = local | {"range", "len", "min", "max", "abs", "int", "float", "bool", "njit"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in known:
            found.append(f"calls {node.func.id}, which is not in this file")
    return found


def function_problems(node: ast.FunctionDef) -> list[str]:
    kernels = [each for each in node.decorator_list if "njit" in ast.unparse(each)]
    if not kernels:
        return ["is no kernel"]
    found = []
    if len(node.decorator_list) != 1 or not isinstance(kernels[0], ast.Call):
        return ["is not decorated by one call of njit"]
    call = kernels[0]
    flags = {keyword.arg: keyword.value for keyword in call.keywords}
    found += [f"{flag}=True is missing" for flag in sorted(FLAGS) if not is_true(flags.get(flag))]
    found += [f"has the flag {flag}" for flag in flags if flag not in ALLOWED_FLAGS]
    if call.args:  # would be compiled at import
        found.append("has a signature")
    if not node.name.startswith("_") and not ast.get_docstring(node):
        found.append("has no docstring")
    return found


def is_true(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


def test_the_kernel_files_are_found() -> None:
    assert len(FILES) >= 8
    assert all(file.parent.name == "kernels" for file in FILES)


@pytest.mark.parametrize("file", FILES, ids=[str(file.relative_to(PACKAGE)) for file in FILES])
def test_a_kernel_file_keeps_the_rules(file: Path) -> None:
    source = file.read_text()
    assert ast.get_docstring(ast.parse(source))
    assert problems(source) == []


GOOD = '''
import numpy as np
from numba import njit
@njit(cache=True, nogil=True, inline="always")
def _help(x):
    return x
@njit(cache=True, nogil=True)
def kernel(x):
    """Twice. O(1)."""
    return _help(x) + np.int64(x)
'''


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("(x):\n    \"\"\"Twice. O(1).\"\"\"", "(x):"), "kernel: has no docstring"),
        (("@njit(cache=True, nogil=True)\n", "@njit(nogil=True)\n"), "kernel: cache=True is missing"),
        (("@njit(cache=True, nogil=True)\n", "@njit(cache=True, nogil=False)\n"), "kernel: nogil=True is missing"),
        (("@njit(cache=True, nogil=True)\n", "@njit\n"), "kernel: is not decorated by one call of njit"),
        (("@njit(cache=True, nogil=True)\n", ""), "kernel: is no kernel"),
        (("nogil=True)\n", "nogil=True, parallel=True)\n"), "kernel: has the flag parallel"),
        (("@njit(cache=True, nogil", "@njit('i8(i8)', cache=True, nogil"), "kernel: has a signature"),
        (("import numpy as np", "import numpy as np, os"), "imports os"),
        (("import numpy as np", "import numpy as np\nfrom mqdiag.x import y"), "imports from mqdiag.x"),
        (("_help(x) +", "y(x) +"), "calls y, which is not in this file"),
    ],
)  # fmt: skip
def test_the_check_sees_what_it_looks_for(change: tuple[str, str], told: str) -> None:
    assert problems(GOOD) == []
    assert told in problems(GOOD.replace(*change))
