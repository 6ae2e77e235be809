"""The broker's access control refuses requests."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.log_events import (
    counted,
    counted_lines,
    events,
    files_of,
    lines_of,
    one_of_several,
)
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

_CAUSES = {
    "access-no-key": "no-access-key",
    "access-unknown-key": "unknown-access-key",
    "access-wrong-signature": "wrong-signature",
    "access-cannot-sign": "cannot-sign",
    "access-no-permission": "no-permission",
}
"""by the event of the log"""

RULE = Rule(
    name="access-denied",
    title="The broker's access control refuses requests",
    why=(
        "With aclEnable a broker serves only requests that are signed with a key of plain_acl.yml and that this key"
        " is allowed. It answers others with an AclException, and clients repeat them without success. Brokers,"
        " proxies, consoles and exporters are clients of a broker too, and need a key or a place in"
        " globalWhiteRemoteAddresses."
    ),
    causes=tuple(_CAUSES.values()),
    severities=(Severity.ERROR,),
    remedy=(
        "Compare accessKey and secretKey of the client with conf/plain_acl.yml of each broker.",
        "Give slaves, proxies and consoles a key with admin: true, or list their addresses in"
        " globalWhiteRemoteAddresses.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/3115",
        "https://github.com/apache/rocketmq-externals/issues/458",
        "PlainPermissionManager.validate, AclSigner",
    ),
    lies_at="client",
    in_chain=say("the broker's access control refuses requests"),
    proven_on=LITERALS,
)


def _facts(kind: str) -> Facts:
    event = LogEvent(kind=kind, count=3, first="2026-11-21T20:00:01+08:00", last="2026-11-21T20:00:09+08:00")
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """Three requests came without a key."""
    return _facts("access-no-key")


def silent() -> Facts:
    """Something else."""
    return _facts("pool-low")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each cause; one line is enough."""
    assert facts.logs is not None
    for kind, cause in _CAUSES.items():
        found = events(facts.logs, kind)
        if found:
            yield _draft(facts.logs, found, cause)


def _draft(logs: LogsFacts, found: list[LogEvent], cause: str) -> Draft:
    return Draft(
        severity=Severity.ERROR,
        cause=cause,
        confidence=Confidence.HIGH,
        title=_title(cause),
        subject=one_of_several(logs),
        evidence={"lines": lines_of(found), **counted(found)},
        explanation=(
            *map(counted_lines, found),
            _EXPLANATIONS[cause],
        ),
        remedy=_REMEDIES[cause],
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.6,
    )


def _title(cause: str) -> Text:
    return {
        "no-access-key": say("The broker refuses {lines:count} {lines:request|requests} without an access key"),
        "unknown-access-key": say(
            "The broker refuses {lines:count} {lines:request|requests} with a key that it does not know"
        ),
        "wrong-signature": say(
            "The broker refuses {lines:count} {lines:request|requests} with a wrong signature"
        ),
        "cannot-sign": say("A request cannot be signed, so the broker refuses it"),
        "no-permission": say(
            "The broker refuses {lines:count} {lines:request|requests} that the key is not allowed"
        ),
    }[cause]


_EXPLANATIONS: dict[str, Text] = {
    "no-access-key": say(
        "The request has no key: the client has no AclClientRPCHook, or it is a slave or a console without"
        " conf/tools.yml."
    ),
    "unknown-access-key": say("No account of plain_acl.yml has this access key."),
    "wrong-signature": say(
        "The broker signed the request itself and got another result: the secret keys differ, or something between"
        " client and broker changed the request."
    ),
    "cannot-sign": say(
        "The signature needs HmacSHA1 and a secret key: the JVM finds no sunjce_provider.jar (java.ext.dirs of the"
        " scripts), or the key is empty."
    ),
    "no-permission": say("The account has no permission for this topic, this group or this command."),
}
_REMEDIES: dict[str, tuple[Text, ...]] = {
    "no-access-key": (
        say("Give the client an AclClientRPCHook with accessKey and secretKey; for mqadmin, conf/tools.yml."),
        RULE.remedy[1],
    ),
    "unknown-access-key": (RULE.remedy[0],),
    "wrong-signature": (
        RULE.remedy[0],
        say("Put keys that are all digits in quotation marks in YAML files, which read them as numbers."),
    ),
    "cannot-sign": (
        say("Copy sunjce_provider.jar of the JDK into the lib folder of RocketMQ, or correct JAVA_HOME."),
    ),
    "no-permission": (
        say("Add the topic (PUB, SUB) and the group (SUB) to topicPerms and groupPerms of the account."),
    ),
}
