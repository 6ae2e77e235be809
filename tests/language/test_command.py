"""--lang, the locale, and what machines get."""

from __future__ import annotations

import json

from mqdiag.cli.common.language import language_of_run
from tests.cli.conftest import Run, mqdiag  # noqa: F401  (a fixture)
from tests.folded import folded


@folded(
    "given, formats, environment, language",
    [
        (None, {"text"}, {}, "en"),
        (None, {"text"}, {"LANG": "zh_CN.UTF-8"}, "zh"),
        (None, {"html", "markdown"}, {"LC_MESSAGES": "zh_TW"}, "zh"),
        (None, {"text"}, {"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        (None, {"text"}, {"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
        (None, {"text"}, {"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN"}, "zh"),
        (None, {"text"}, {"LANG": "fr_FR.UTF-8"}, "en"),
        (None, {"json"}, {"LANG": "zh_CN.UTF-8"}, "en"),
        (None, {"text", "sarif"}, {"LANG": "zh_CN.UTF-8"}, "en"),
        (None, {"text", "baseline"}, {"LANG": "zh_CN.UTF-8"}, "en"),
        ("zh", {"json"}, {}, "zh"),
        ("en", {"text"}, {"LANG": "zh_CN.UTF-8"}, "en"),
    ],
)
def test_language_of_a_run(
    given: str | None, formats: set[str], environment: dict[str, str], language: str
) -> None:
    assert language_of_run(given, formats, environment) == language


def test_the_option_goes_before_the_locale(mqdiag: Run) -> None:  # noqa: F811
    chinese = {"LC_ALL": "zh_CN.UTF-8", "PYTHONUTF8": "1"}
    assert "消息缓存超出堆的容量" in mqdiag("rules", "consumer-cache-exceeds-heap", **chinese).out
    assert (
        "does not fit the heap" in mqdiag("rules", "consumer-cache-exceeds-heap", "--lang", "en", **chinese).out
    )


def test_an_unknown_language_is_wrong_usage(mqdiag: Run) -> None:  # noqa: F811
    done = mqdiag("rules", "--lang", "fr")
    assert (done.code, done.out) == (2, "")
    assert "'fr' is not one of 'en', 'zh'" in done.line


def test_machines_get_english_and_people_their_own_language(mqdiag: Run) -> None:  # noqa: F811
    jstack = (
        b"Full thread dump OpenJDK 64-Bit Server VM (17.0.1 mixed mode):\n\n"
        b'"main" #1 prio=5 tid=0x1 nid=0x1 runnable\n\nJNI global refs: 1\n'
    )
    chinese = {"LC_ALL": "zh_CN.UTF-8", "PYTHONUTF8": "1"}
    command = ("stacks", "-", "--format", "json")
    plain = json.loads(mqdiag(*command, stdin=jstack, **chinese).out)
    asked = json.loads(mqdiag(*command, "--lang", "zh", stdin=jstack, **chinese).out)
    assert {skipped["reason"] for skipped in plain["skipped"]} >= {"needs logs"}
    assert asked == plain
    assert "线程" in mqdiag("stacks", "-", stdin=jstack, **chinese).out
