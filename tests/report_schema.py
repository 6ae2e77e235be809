"""A JSON report against the schema that is shipped.

`jsonschema.validate` would judge the schema itself by its meta-schema each time, which takes seconds;
`tests/render/test_json.py` does that once.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from mqdiag.render.json.schema import SCHEMA_FILE


def validate_report(report: Any) -> None:
    """Raise ValidationError if the schema does not allow these values."""
    _validator().validate(report)


@cache
def _validator() -> Draft202012Validator:
    schema = json.loads(SCHEMA_FILE.read_text())
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    return Draft202012Validator(schema)
