"""The logger of a record in JSON is known under each key that layouts give it: whose words it has depends on it."""

from __future__ import annotations

from mqdiag.logs.json_records import wrapped_head
from tests.folded import folded


@folded(
    "key",
    [
        "logger",
        "logger_name",
        "loggerName",
        "log.logger",
        "_logger",
        "_logger_name",
        "_loggerName",
        "_log_logger",
    ],
)
def test_the_logger_is_known(key: str) -> None:
    line = f'{{"short_message": "viewed 17", "level": 3, "{key}": "com.shop.OrderController"}}'
    assert wrapped_head(line.encode()).logger == "com.shop.OrderController"


def test_another_key_is_none() -> None:
    assert wrapped_head(b'{"level": 3, "customer_logger": "com.shop.OrderController"}').logger is None
