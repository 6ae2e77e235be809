"""A JSON report against the schema that is shipped.

The schema is compiled once in each process.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema_rs import Draft202012Validator

from mqdiag.render.json.schema import schema_text


def validate_report(report: Any) -> None:
    """Raise ValidationError if the schema does not allow these values."""
    _validator().validate(report)


@cache
def _validator() -> Draft202012Validator:
    schema = json.loads(schema_text())
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    return Draft202012Validator(schema)
