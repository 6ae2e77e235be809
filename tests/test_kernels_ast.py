"""Every kernel file keeps the rules that kernels rest on; read from the source, nothing is compiled.

A kernel that calls what is no kernel, or imports more than numpy, would compile into something that cannot be called
without numba, or go stale when the other file changes.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.folded import folded

PACKAGE = Path(__file__).parents[1] / "mqdiag"
FILES = sorted(
    file
    for file in PACKAGE.rglob("*.py")
    if "\n@kernel" in file.read_text() and "_kernel_cache" not in file.parts
)


def problems(source: str) -> list[str]:
    """What breaks the rules in one file."""
    tree = ast.parse(source)
    found = []
    known = {"range", "len", "min", "max", "abs", "int", "float", "bool", "kernel"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [f"imports {name.name}" for name in node.names if name.name != "numpy"]
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if "kernels" in module.split("."):
                known |= {name.asname or name.name for name in node.names}
            elif module not in ("__future__", "typing", "numpy.typing", "mqdiag.kernel"):
                found.append(f"imports from {module}")
        if isinstance(node, ast.FunctionDef):
            known.add(node.name)
            found += [f"{node.name}: {problem}" for problem in function_problems(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in known:
            found.append(f"calls {node.func.id}, which is no kernel")
    return found


def function_problems(node: ast.FunctionDef) -> list[str]:
    if [ast.unparse(each) for each in node.decorator_list] not in (["kernel"], ["kernel(inline=True)"]):
        return ["is no kernel"]
    if not node.name.startswith("_") and not ast.get_docstring(node):
        return ["has no docstring"]
    return []


def test_only_the_compiler_imports_numba() -> None:
    importing = [
        file for file in PACKAGE.rglob("*.py") if re.search(r"^\s*(from|import) numba", file.read_text(), re.M)
    ]
    assert importing == [PACKAGE / "kernel" / "build.py"]


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
from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import u2
@kernel(inline=True)
def _help(x):
    return u2(x, 0)
@kernel
def double(x):
    """Twice. O(1)."""
    return _help(x) + np.int64(x)
'''


@folded("change, told", [
        (("(x):\n    \"\"\"Twice. O(1).\"\"\"", "(x):"), "double: has no docstring"),
        (("@kernel\n", ""), "double: is no kernel"),
        (("@kernel\n", "@kernel(parallel=True)\n"), "double: is no kernel"),
        (("import numpy as np", "import numpy as np, os"), "imports os"),
        (("import numpy as np", "import numpy as np\nfrom mqdiag.x import y"), "imports from mqdiag.x"),
        (("_help(x) +", "y(x) +"), "calls y, which is no kernel"),
    ])  # fmt: skip
def test_the_check_sees_what_it_looks_for(change: tuple[str, str], told: str) -> None:
    assert problems(GOOD) == []
    assert told in problems(GOOD.replace(*change))


MOST_PARAMETERS = 11


def parameters(source: str) -> dict[str, int]:
    """How many parameters each function of a file has."""
    functions = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    return {node.name: len(node.args.args) for node in functions}


def test_kernels_take_arrays_that_belong_together_as_named_tuples() -> None:
    found = {name: count for file in FILES for name, count in parameters(file.read_text()).items()}
    assert {name: count for name, count in found.items() if count > MOST_PARAMETERS} == {}
