"""The small faults: one node of a syntax tree changed, drawn by line and by a seed."""

from __future__ import annotations

import ast
import copy
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.mutation.covered import PACKAGES, ROOT

Change = Callable[[ast.AST], ast.AST]
_BOUNDARY: dict[type, type] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_OPPOSITE: dict[type, type] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_ARITHMETIC: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


class Mutant(NamedTuple):
    """One fault, known by what it changes and not by its line, so that later commits have it too."""

    file: str
    """below the root"""
    scope: str
    """qualified name of the function or method, or of the module's constant"""
    kind: str
    change: str
    """the statement's node before and after"""
    occurrence: int
    """among equal changes of the scope"""
    line: int
    lines: range
    """of the statement, or of its head"""
    is_constant: bool
    """of the module"""

    @property
    def package(self) -> str:
        return self.file.split("/")[1]

    @property
    def key(self) -> str:
        return f"{self.file}::{self.scope}::{self.kind}::{self.change}#{self.occurrence}"


def _set(field: str, value: object) -> Change:
    def change(node: ast.AST) -> ast.AST:
        setattr(node, field, value)
        return node

    return change


def changes(node: ast.AST) -> Iterator[tuple[str, Change]]:
    """What can be done to one node: the kind, and what changes a copy of it."""
    match node:
        case ast.Compare(ops=[operator]):
            if type(operator) in _BOUNDARY:
                yield "boundary", _set("ops", [_BOUNDARY[type(operator)]()])
            yield "comparison", _set("ops", [_OPPOSITE[type(operator)]()])
        case ast.BinOp(op=operator) if type(operator) in _ARITHMETIC and not isinstance(
            node.left, ast.Constant
        ):
            yield "arithmetic", _set("op", _ARITHMETIC[type(operator)]())
        case ast.AugAssign(op=operator):
            if type(operator) in _ARITHMETIC:
                yield "arithmetic", _set("op", _ARITHMETIC[type(operator)]())
            yield "statement removed", lambda _: ast.Pass()
        case ast.BoolOp(op=ast.And()):
            yield "boolean", _set("op", ast.Or())
        case ast.BoolOp(op=ast.Or()):
            yield "boolean", _set("op", ast.And())
        case ast.UnaryOp(op=ast.Not()):
            yield "boolean", lambda one: one.operand  # type: ignore[attr-defined]
        case ast.Constant(value=bool() as value):
            yield "constant", _set("value", not value)
        case ast.Constant(value=int() | float() as value):
            yield "constant", _set("value", value + 1)
        case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
            yield "return None", _set("value", ast.Constant(None))
        case ast.Expr(value=ast.Call() | ast.Yield()):
            yield "statement removed", lambda _: ast.Pass()
        case ast.Raise() | ast.Continue() | ast.Break():
            yield "statement removed", lambda _: ast.Pass()
        case ast.If(test=test) | ast.IfExp(test=test) if not isinstance(test, ast.Compare | ast.UnaryOp):
            yield "negated if", _set("test", ast.UnaryOp(ast.Not(), test))
        case ast.comprehension(ifs=[_, *_]):
            yield "filter removed", _set("ifs", node.ifs[1:])


def _head(statement: ast.stmt) -> range:
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if body else statement.end_lineno or statement.lineno
    return range(statement.lineno, max(last, statement.lineno) + 1)


def _shown(node: ast.AST) -> str:
    if isinstance(node, ast.If):
        return f"if {ast.unparse(node.test)}:"
    return ast.unparse(node)


def _walk(node: ast.AST, statement: ast.stmt) -> Iterator[tuple[ast.AST, ast.stmt]]:
    """All nodes that run, each with its statement: no annotations, decorators or defaults of functions."""
    yield node, statement
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "args") and not isinstance(node, ast.Call):
            continue
        if isinstance(node, ast.If) and field == "body" and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk(child, child if isinstance(child, ast.stmt) else statement)


def _scopes(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.stmt, bool]]:
    """Functions, methods and constants of a module."""
    for child in getattr(tree, "body", []):
        match child:
            case ast.FunctionDef(name=name):
                yield prefix + name, child, False
            case ast.ClassDef(name=name):
                yield from _scopes(child, f"{prefix}{name}.")
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)) if (
                not prefix
            ):
                yield name, child, True


def of_tree(file: str, tree: ast.Module) -> Iterator[tuple[Mutant, ast.AST, Change]]:
    """All mutants of a file, each with the node and its change."""
    for scope, top, is_constant in _scopes(tree):
        if is_constant and "/kernels/" in file:
            continue  # numba takes them in as it compiles
        seen: Counter[str] = Counter()
        for node, statement in _walk(top, top):
            for kind, change in changes(node):
                if is_constant and kind == "arithmetic":
                    continue  # most are unions of types
                changed = ast.fix_missing_locations(change(copy.deepcopy(node)))
                told = f"{_shown(node)} -> {_shown(changed)}"
                seen[kind + told] += 1
                line = getattr(node, "lineno", statement.lineno)
                occurrence, lines = seen[kind + told], _head(statement)
                yield Mutant(file, scope, kind, told, occurrence, line, lines, is_constant), node, change


def drawn(seed: int, count: int, packages: tuple[str, ...] = PACKAGES) -> list[Mutant]:
    """As many of each package; first the line is drawn, then one of its mutants.

    A longer list of the same seed begins with the shorter one's mutants, package by package.
    """
    found: list[list[Mutant]] = []
    for package in packages:
        by_line: dict[tuple[str, int], list[Mutant]] = defaultdict(list)
        for path in sorted((ROOT / "mqdiag" / package).rglob("*.py")):
            for mutant, *_ in of_tree(str(path.relative_to(ROOT)), ast.parse(path.read_text())):
                by_line[mutant.file, mutant.line].append(mutant)
        draw = random.Random(f"{seed} {package}")
        places = sorted(by_line)
        draw.shuffle(places)
        found.append([draw.choice(by_line[place]) for place in places[: count // len(packages)]])
    return [mutant for turn in zip(*found, strict=False) for mutant in turn]


def with_keys(root: Path, keys: Iterable[str]) -> list[Mutant]:
    """The mutants of another tree that have these keys, in this order."""
    wanted = list(keys)
    found: dict[str, Mutant] = {}
    for file in sorted({key.partition("::")[0] for key in wanted}):
        for mutant, *_ in of_tree(file, ast.parse((root / file).read_text())):
            found[mutant.key] = mutant
    return [found[key] for key in wanted if key in found]


class _Replace(ast.NodeTransformer):
    def __init__(self, node: ast.AST, change: Change) -> None:
        self._node = node
        self._change = change

    def visit(self, node: ast.AST) -> ast.AST:
        return self._change(node) if node is self._node else self.generic_visit(node)


def mutated(mutant: Mutant) -> ast.Module:
    """The module with the fault.

    Raises:
        LookupError: this commit does not have what it changes.
    """
    path = ROOT / mutant.file
    if not path.exists():
        raise LookupError(mutant.key)
    tree = ast.parse(path.read_text())
    for one, node, change in of_tree(mutant.file, tree):
        if one.key == mutant.key:
            return ast.fix_missing_locations(_Replace(node, change).visit(tree))
    raise LookupError(mutant.key)
