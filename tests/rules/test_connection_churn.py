"""connection-churn: rates are written as people say them."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.language import english
from mqdiag.rules import connection_churn
from tests.rules.checks import findings
from tests.rules.examples import example_of


@pytest.mark.parametrize(
    ("per_minute", "written"), [(57.692, "58 a minute"), (4.986, "5 a minute"), (4.63, "4.6 a minute")]
)
def test_a_rate_has_one_decimal_below_ten_and_none_above(per_minute: float, written: str) -> None:
    logs = example_of(connection_churn).fires().logs
    assert logs is not None
    (row,) = logs.connections
    often = LogsFacts(connections=(msgspec.structs.replace(row, closed_per_minute=per_minute),), lines=5000)
    (found,) = findings(connection_churn, Facts(logs=often))
    assert any(f" {written}." in english()(sentence) for sentence in found.explanation)
