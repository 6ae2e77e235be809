"""All that a release promises (docs/compatibility.md), as plain values: `python -m tests.surface` writes it down."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import click
import msgspec

import mqdiag.notebook
from mqdiag import errors
from mqdiag.cli import mqdiag as group
from mqdiag.config import ConfigFile, KnowledgeSettings, RuleSettings
from mqdiag.diagnose.diff import diagnose_diff
from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Report
from mqdiag.fleet.tables.schemas import ALL_TABLES, SCHEMA_VERSION
from mqdiag.graph import open_heap
from mqdiag.knowledge.library import Library
from mqdiag.knowledge.rule_card import Card
from mqdiag.query.meanings import table_meanings
from mqdiag.query.recipes import recipes
from mqdiag.query.session import Session
from mqdiag.render import formats
from mqdiag.render.json.schema import report_schema
from mqdiag.rules.catalogue import rule_files

RELEASED = Path(__file__).with_name("released.json")
"""the surface of the last release"""
REMOVED = Path(__file__).with_name("removed.toml")
"""what was taken away since, after a minor release that warned of it"""
DUMP = Path(__file__).parents[2] / "fixtures" / "heap" / "no-rocketmq" / "dump.hprof.gz"
PYTHON = (diagnose_heap, diagnose_stacks, diagnose_logs, diagnose_incident, diagnose_diff)


def surface() -> dict[str, Any]:
    """Commands, codes, fields, names and columns; each leaf is what may not go away or change."""
    return {
        "commands": _commands(),
        "exit codes": {name: code for name, code in vars(errors).items() if name.startswith("EXIT_")},
        "formats": dict.fromkeys(sorted(formats()), True),
        "json": _json(),
        "rules": {
            rule.name: {
                "causes": dict.fromkeys(rule.card.causes, True),
                "limits": dict.fromkeys(rule.card.limits, True),
            }
            for rule in rule_files()
        },
        "tables of fleets": {
            "schema": SCHEMA_VERSION,
            **{table.name: {one.name: str(one.type) for one in table.columns} for table in ALL_TABLES.values()},
        },
        "tables of queries": _queries(),
        "recipes": dict.fromkeys(recipes(), True),
        "python": {
            **{f"{one.__module__}.{one.__name__}": _parameters(one) for one in PYTHON},
            **{f"mqdiag.notebook.{name}": _members(name) for name in mqdiag.notebook.__all__},
        },
        "configuration": {
            kind.__name__: _fields(kind) for kind in (ConfigFile, KnowledgeSettings, RuleSettings)
        },
        "knowledge": {kind.__name__: _fields(kind) for kind in (Card, Library)},
    }


def missing(old: Any, new: Any, place: str = "") -> list[str]:
    """Places of what was promised and is not there any more, or is another value."""
    if not isinstance(old, dict):
        return [] if old == new else [place]
    if not isinstance(new, dict):
        return [place]
    return [
        found
        for name, value in old.items()
        for here in (f"{place} > {name}" if place else name,)
        for found in (missing(value, new[name], here) if name in new else [here])
    ]


def _commands() -> dict[str, Any]:
    context = click.Context(group)
    return {name: _options(group.get_command(context, name)) for name in group.list_commands(context)}


def _options(command: click.Command | None) -> dict[str, Any]:
    assert command is not None
    options: dict[str, Any] = {}
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden:
            choices = option.type.choices if isinstance(option.type, click.Choice) else ()
            for word in option.opts:
                options[word] = dict.fromkeys(map(str, choices), True) or (
                    "a flag" if option.is_flag else "takes a value"
                )
    inner = getattr(command, "commands", {})
    return {**options, **{name: _options(one) for name, one in inner.items()}}


def _json() -> dict[str, Any]:
    definitions = report_schema()["$defs"]
    version = next(field.default for field in msgspec.structs.fields(Report) if field.name == "schema_version")
    return {
        "schema_version": version,
        **{
            name: dict.fromkeys(one["properties"], True)
            if "properties" in one
            else dict.fromkeys(one.get("enum", ()), True)
            for name, one in definitions.items()
        },
    }


def _queries() -> dict[str, Any]:
    with Session(open_heap(str(DUMP))) as session:
        return {
            name: dict.fromkeys((*session.columns(name), *table_meanings()[name].formerly), True)
            for name in session.tables()
        }


def _parameters(function: Any) -> dict[str, Any]:
    return dict.fromkeys(inspect.signature(function).parameters, True)


def _members(name: str) -> Any:
    one = getattr(mqdiag.notebook, name)
    if inspect.isclass(one):
        return {member: True for member in dir(one) if not member.startswith("_")}
    return _parameters(one)


def _fields(kind: type[msgspec.Struct]) -> dict[str, Any]:
    return {field.encode_name: True for field in msgspec.structs.fields(kind)}
