"""Settings: strict reading of the file, options over it, hints for typing errors."""

from __future__ import annotations

import os
import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqdiag.acceptance import Acceptance, Lapsed
from mqdiag.config import FILE_NAME, ConfigFile, find_config, parse_size, read_config, resolve
from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.errors import EXIT_USAGE, UsageError
from mqdiag.expectations import parse_expectation
from mqdiag.facts import Expectation
from mqdiag.fail_on import FailOn
from mqdiag.findings import Severity
from mqdiag.given_toml import without_strings
from mqdiag.knowledge.consumer_settings import consumer_settings
from mqdiag.language import english
from mqdiag.rules.catalogue import rule_files
from mqdiag.spelling import did_you_mean, nearest
from mqdiag.text import say
from mqdiag.trusted import Untrusted
from tests.folded import folded
from tests.layers import one_in_each_run

CARDS = {rule.card.name: rule.card for rule in rule_files()}
LIMITED = next(card for card in CARDS.values() if card.limits)
LIMIT = next(iter(LIMITED.limits))


@folded(
    "text, group, key, value",
    [
        ("pullThresholdForQueue=40", None, "pullThresholdForQueue", 40),
        ("order-group:pullThresholdForQueue=40", "order-group", "pullThresholdForQueue", 40),
        ("ns%order_group:consumeThreadMin=8", "ns%order_group", "consumeThreadMin", 8),
        ("a:b:consumeTimeout=15", "a:b", "consumeTimeout", 15),
        ("x|y:unitMode=TRUE", "x|y", "unitMode", True),
        ("instanceName=host:1=2", None, "instanceName", "host:1=2"),
        ("pullInterval=1.5", None, "pullInterval", 1.5),
        ("consumeFromWhere=CONSUME_FROM_LAST_OFFSET", None, "consumeFromWhere", "CONSUME_FROM_LAST_OFFSET"),
        ("instanceName=nan", None, "instanceName", "nan"),
        ("pullThresholdForTopic=-1", None, "pullThresholdForTopic", -1),
        (" g : pullBatchSize = 32 ", "g", "pullBatchSize", 32),
    ],
)
def test_an_expectation_is_read(text: str, group: str | None, key: str, value: object) -> None:
    found = parse_expectation(text)
    assert (found.group, found.key, found.value) == (group, key, value)
    assert type(found.value) is type(value)
    assert found.source == "option"


@folded("text", ["", "=", "x", "pullBatchSize", "pullBatchSize=", ":pullBatchSize=3", "g:=3"])
def test_a_malformed_expectation_says_how_to_write_it(text: str) -> None:
    with pytest.raises(UsageError, match=r"is not \[GROUP:\]KEY=VALUE"):
        parse_expectation(text)


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("pullTresholdForQueue", "pullThresholdForQueue"),
        ("PULLTHRESHOLDFORQUEUE", "pullThresholdForQueue"),
        ("consumeThreadMini", "consumeThreadMin"),
    ],
)
def test_an_unknown_key_names_the_nearest(key: str, hint: str) -> None:
    with pytest.raises(UsageError, match=f"no RocketMQ consumer has a setting '{key}'; did you mean .*{hint}"):
        parse_expectation(f"{key}=40")


def test_a_key_that_is_near_nothing_gets_no_guess() -> None:
    with pytest.raises(UsageError) as error:
        parse_expectation("qqqqqqqq=1")
    assert "did you mean" not in str(error.value)
    assert error.value.exit_code == EXIT_USAGE


@given(st.text(), st.sampled_from(sorted(consumer_settings().numbers)), st.integers())
def test_any_group_survives(group: str, key: str, value: int) -> None:
    if "=" in group or not group.strip():
        return
    found = parse_expectation(f"{group}:{key}={value}")
    assert (found.group, found.key, found.value) == (group.strip(), key, value)


@folded(
    "text, count",
    [
        ("512m", 512 * 1024**2),
        ("2g", 2 * 1024**3),
        ("2G", 2 * 1024**3),
        ("1.5GiB", 3 * 1024**3 // 2),
        ("64 kb", 65536),
        ("1t", 1024**4),
        ("123456", 123456),
        (4096, 4096),
    ],
)
def test_a_size_is_read_as_the_jvm_reads_it(text: str | int, count: int) -> None:
    assert parse_size(text) == count


@folded("text", ["", "0", "-1", "2x", "g", "1e9", "two", "0.0g", "٣g", "9" * 400, "1g2"])
def test_no_size(text: str) -> None:
    with pytest.raises(UsageError, match="is not a size"):
        parse_size(text)


def write(folder: Path, text: str) -> Path:
    path = folder / "mqdiag.toml"
    folder.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_all_of_the_file(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        f"""
        fail-on = "warning"
        heap-limit = "2g"
        [expect]
        pullThresholdForQueue = 40
        [expect."ns%group"]
        consumeThreadMin = 8
        [rules.{LIMITED.name}]
        severity = "info"
        limits = {{ {next(iter(LIMITED.limits))} = 7 }}
        [rules.input-incomplete]
        ignore = true
        reason = "dumps are cut on purpose"
        """,
    )
    settings = resolve(read_config(path), str(path), CARDS)
    assert settings.fail_on == FailOn(severity="warning")
    assert settings.heap_limit == 2 * 1024**3
    assert settings.expectations == (
        Expectation(key="pullThresholdForQueue", value=40, source=str(path)),
        Expectation(key="consumeThreadMin", value=8, group="ns%group", source=str(path)),
    )
    assert settings.severities == {LIMITED.name: Severity.INFO}
    assert settings.limits == {LIMITED.name: {next(iter(LIMITED.limits)): 7}}
    assert settings.ignored == {
        "input-incomplete": Acceptance(source=str(path), reason="dumps are cut on purpose")
    }
    assert settings.lapsed == ()


def test_options_go_over_the_file(tmp_path: Path) -> None:
    path = write(
        tmp_path, 'fail-on = "never"\nheap-limit = "5m"\n[expect]\npullBatchSize = 1\nconsumeTimeout = 2\n'
    )
    settings = resolve(
        read_config(path), str(path), CARDS, expect=["pullBatchSize=9"], fail_on="info", heap_limit="6m"
    )
    assert (settings.fail_on, settings.heap_limit) == (FailOn(severity="info"), 6 << 20)
    assert {(wish.key, wish.value) for wish in settings.expectations} == {
        ("pullBatchSize", 9),
        ("consumeTimeout", 2),
    }


def test_without_a_file() -> None:
    settings = resolve(ConfigFile(), "none", CARDS)
    assert settings.fail_on == FailOn(severity="error")
    assert settings.heap_limit is None
    assert settings.expectations == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fail_on = 'error'", "unknown key fail_on; did you mean fail-on"),
        ("[expct]\n", "unknown key expct; did you mean expect"),
        (
            "[rules.input-incomplete]\nsverity = 'info'",
            "unknown key rules.input-incomplete.sverity; did you mean sev",
        ),
        ("[rules.input-incomplete]\nseverity = 'bad'", "Invalid enum value 'bad'"),
        ("[rules.input-incomplet]\n", "no such rule; did you mean input-incomplete"),
        ("[rules.input-incomplete.limits]\nx = 1", "limits has no 'x'; it has none"),
        ("[rules.input-incomplete]\nignore = true", 'ignored without a reason; add reason = "why"'),
        ("[rules.input-incomplete]\nignore = true\nreason = ' '", "ignored without a reason"),
        ("[rules.input-incomplete.limits]\nx = 'y'", "Expected `?float`?, got `?str`?"),
        ("fail-on = 'errors'", "fail-on is 'errors'; it can be error, warning, info, undecided, never"),
        ("fail-on = 3", "fail-on"),
        (
            "[rules.input-incomplete]\nseverity = 'bad'",
            "rules.input-incomplete.severity: .* can be error, warning, info",
        ),
        ("[rules.input-incomplete.limits]\nx = 'y'", "rules.input-incomplete.limits: Expected"),
        ("heap-limit = '2x'", "'2x' is not a size"),
        ("heap-limit = '2x'", "mqdiag.toml: heap-limit: "),
        ("heap-limit = 2", "2 is less than any JVM's heap"),
        ("[expect]\npullTresholdForQueue = 1", "expect: no RocketMQ consumer has a setting"),
        ("[expect.g]\npullTresholdForQueue = 1", "expect.g: no RocketMQ consumer has a setting"),
        ("[expect]\npullBatchSize = [1]", "expect"),
        ("[expect\n", "is not TOML: "),
        ("rules = 3", "rules"),
        pytest.param(f"a = {'[' * 20_000}", "is not TOML: ", id="deep"),
        pytest.param(f"a = {'9' * 5_000}", "is not TOML: ", id="long number"),
        (f"[rules.{LIMITED.name}.limits]\n{LIMIT} = -1", f"{LIMITED.name}.limits.{LIMIT}: is -1; a limit is"),
        (f"[rules.{LIMITED.name}.limits]\n{LIMIT} = nan", f"{LIMITED.name}.limits.{LIMIT}: is nan; a limit is"),
        (f"[rules.{LIMITED.name}.limits]\n{LIMIT} = inf", f"{LIMITED.name}.limits.{LIMIT}: is inf; a limit is"),
        (f"[rules.{LIMITED.name}.limits]\n{LIMIT} = true", f"{LIMITED.name}.limits: Expected float, got bool"),
        (
            "[rules.consumer-cache-exceeds-heap.limits]\nheld_share_error = 50",
            "limits.held_share_error: is 50; a share is 0 to 1: write 0.5 for 50 %",
        ),
        ("heap-limit = '65t'", "heap-limit: '65t' is more than any JVM's heap"),
        (
            f"[rules.{LIMITED.name}]\nignore = true\nreason = 'x'\nuntil = 'soon'",
            f"{LIMITED.name}.until: Invalid",
        ),
        (f"[rules.{LIMITED.name}]\nignore = true\nreason = 'x'\nuntil = 3", f"{LIMITED.name}.until: Expected"),
        (f"[rules.{LIMITED.name}]\nuntil = 2026-12-31", "until says when ignoring ends; add ignore = true"),
    ],
)
def test_what_is_refused_names_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(UsageError, match=message) as error:
        resolve(read_config(path), str(path), CARDS)
    assert "\n" not in str(error.value)
    assert "$" not in str(error.value)


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "mqdiag.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="is not UTF-8 at byte 0"):
        read_config(path)
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_config(tmp_path / "missing.toml")
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        read_config(tmp_path)


def test_the_nearest_file_upward_is_found(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    above = write(tmp_path, "")
    assert find_config(deep) == above
    nearer = write(tmp_path / "a", "")
    assert find_config(deep) == nearer


@pytest.mark.parametrize("boundary", ["repository", "home"])
def test_the_search_ends_at_the_repository_and_at_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, boundary: str
) -> None:
    """A file above may be anybody's, and says nothing of this project."""
    write(tmp_path, "")
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert find_config(deep) is not None
    if boundary == "repository":
        (tmp_path / "a" / ".git").mkdir()
    else:
        monkeypatch.setenv("HOME", str(tmp_path / "a"))
    assert find_config(deep) is None
    own = write(tmp_path / "a", "")
    assert find_config(deep) == own, "the root itself counts"


@pytest.mark.parametrize("place", ["file", "folder"])
def test_a_found_file_that_others_can_write_is_refused_and_a_named_one_is_read(
    tmp_path: Path, place: str
) -> None:
    path = write(tmp_path, 'fail-on = "never"\n')
    assert read_config(path, was_found=True).fail_on == "never"
    (path if place == "file" else tmp_path).chmod(0o777)
    with pytest.raises(Untrusted, match="others can write to"):
        read_config(path, was_found=True)
    assert read_config(path).fail_on == "never"


def test_a_found_link_is_followed_to_a_file_of_the_user(tmp_path: Path) -> None:
    target = write(tmp_path / "kept", 'fail-on = "never"\n')
    (tmp_path / "work").mkdir()
    link = tmp_path / "work" / FILE_NAME
    link.symlink_to("../kept/" + FILE_NAME)
    assert find_config(link.parent) == link
    assert read_config(link, was_found=True).fail_on == "never"
    link.unlink()
    link.symlink_to(target)
    assert read_config(link, was_found=True).fail_on == "never"


@pytest.mark.parametrize("place", ["folder of the link", "folder of the target", "target"])
def test_a_found_link_in_reach_of_others_is_refused(tmp_path: Path, place: str) -> None:
    target = write(tmp_path / "kept", 'fail-on = "never"\n')
    (tmp_path / "work").mkdir()
    link = tmp_path / "work" / FILE_NAME
    link.symlink_to(target)
    {"folder of the link": link.parent, "folder of the target": target.parent, "target": target}[place].chmod(
        0o777
    )
    with pytest.raises(Untrusted, match="others can write to"):
        read_config(link, was_found=True)
    assert read_config(link).fail_on == "never"


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a link to another user")
def test_a_found_link_of_another_user_is_refused(tmp_path: Path) -> None:
    """Root unpacks an archive with the owners that it names, or moves a folder that others could write to."""
    target = write(tmp_path / "kept", 'fail-on = "never"\n')
    (tmp_path / "work").mkdir()
    link = tmp_path / "work" / FILE_NAME
    link.symlink_to(target)
    os.chown(link, 12345, 12345, follow_symlinks=False)
    with pytest.raises(Untrusted, match="belongs to another user"):
        read_config(link, was_found=True)


def test_found_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    link = tmp_path / FILE_NAME
    link.symlink_to(FILE_NAME)
    with pytest.raises(Untrusted, match="too many links"):
        read_config(link, was_found=True)


def test_the_group_that_only_its_user_is_in_may_write(tmp_path: Path) -> None:
    path = write(tmp_path, 'fail-on = "never"\n')
    os.chown(path, os.getuid(), os.getuid()) if os.getuid() == 0 else None
    path.chmod(0o664)
    if path.stat().st_gid == path.stat().st_uid:
        assert read_config(path, was_found=True).fail_on == "never"
    else:
        with pytest.raises(Untrusted):
            read_config(path, was_found=True)


def test_a_closed_folder_above_does_not_stop_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = write(tmp_path, "")
    (tmp_path / "closed").mkdir()
    is_file = Path.is_file

    def refused(path: Path) -> bool:
        if path.parent.name == "closed":
            raise PermissionError(13, "Permission denied")
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", refused)
    assert find_config(tmp_path / "closed") == wanted


def test_nearest_is_silent_when_nothing_is_near() -> None:
    assert nearest("zzz", ["abc"]) == ()
    assert nearest("abd", ["abc"]) == ("abc",)


@pytest.mark.parametrize(
    ("names", "more", "line"),
    [
        ((), 0, "no x"),
        (("a",), 0, "no x; did you mean a?"),
        (("a", "b", "c"), 0, "no x; did you mean a, b or c?"),
        (("a", "b"), 3, "no x; did you mean a, b or one of 3 more?"),
    ],
)
def test_names_that_may_be_meant_end_the_message(names: tuple[str, ...], more: int, line: str) -> None:
    assert english()(did_you_mean(say("no x"), names, more=more)) == line


@one_in_each_run(3)
@pytest.mark.parametrize("folder", ["healthy-busy-4.9.8", "healthy-busy-3.2.6-alibaba", "healthy-busy-5.3.3"])
def test_what_a_consumer_shows_can_be_expected(folder: str) -> None:
    dump = Path(__file__).parents[1] / "fixtures" / "heap" / folder / "dump.hprof.gz"
    heap = diagnose_heap(dump).report.heap
    assert heap is not None
    shown = {key for consumer in heap.consumers for key in consumer.config}
    assert shown - consumer_settings().names <= {"consumerGroup", "namespaceInitialized"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("pullThresholdForQueue=4O", "a number, not '4O'"),
        ("CID_a:consumeThreadMin=true", "a number, not True"),
        ("vipChannelEnabled=1", "true or false, not 1"),
    ],
)
def test_a_value_that_could_never_be_in_force_is_wrong_usage(text: str, wanted: str) -> None:
    with pytest.raises(UsageError, match=re.escape(wanted)):
        parse_expectation(text)


def test_a_setting_that_is_text_may_look_like_a_number() -> None:
    assert parse_expectation("consumeTimestamp=20261121063249").value == "20261121063249"


IGNORING = """
[rules.input-incomplete]
ignore = true
reason = "dumps are cut on purpose"
until = 2026-12-31
"""


@pytest.mark.parametrize(
    ("day", "in_force"), [(date(2026, 1, 1), True), (date(2026, 12, 31), True), (date(2027, 1, 1), False)]
)
def test_ignoring_ends_after_its_last_day(tmp_path: Path, day: date, in_force: bool) -> None:
    path = write(tmp_path, IGNORING)
    settings = resolve(read_config(path), str(path), CARDS, on=day)
    why = Acceptance(source=str(path), reason="dumps are cut on purpose", until=date(2026, 12, 31))
    assert settings.ignored == ({"input-incomplete": why} if in_force else {})
    lapsed = Lapsed(rule="input-incomplete", why="expired", acceptance=why)
    assert settings.lapsed == (() if in_force else (lapsed,))


def test_a_limit_may_be_so_high_that_it_turns_a_rule_off(tmp_path: Path) -> None:
    path = write(tmp_path, "[rules.consumer-cache-exceeds-heap.limits]\nheld_share_error = 2\n")
    settings = resolve(read_config(path), str(path), CARDS)
    assert settings.limits == {"consumer-cache-exceeds-heap": {"held_share_error": 2}}


@pytest.mark.parametrize(
    "text",
    [
        "# " + "192.0.2.1, " * 80,
        "acknowledged = '''" + "a.b." * 80 + "'''",
        'acknowledged = """' + '\\"a.b.' * 80 + '"""""',
        'acknowledged = "' + "a.b." * 80 + '"  # c.d',
    ],
)
def test_dots_outside_keys_are_not_counted(text: str) -> None:
    assert without_strings(text.encode()).count(b".") == 0


@folded("before", ["", "{a = ", "'''\n\" ''', ", '"""x"""", ', "'''x'''', ", '"\\\\", ', "# '''\n", "'x\\', "])
def test_dots_of_keys_are_counted_behind_any_string(before: str) -> None:
    text = "x = [" + before + "{" + "a." * 300 + 'b = "c"'
    assert without_strings(text.encode()).count(b".") == 300


def test_a_long_comment_is_read_and_a_long_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mqdiag.toml"
    path.write_text("# " + "192.0.2.1, " * 80 + '\nfail-on = "error"\n')
    read_config(path)
    path.write_text('# """\n' + "a." * 300 + "b = 1\n")
    with pytest.raises(UsageError, match="line 2 has more than 200 dots"):
        read_config(path)
