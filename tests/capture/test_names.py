"""Names of pods, namespaces and hosts are checked before a program starts."""

from __future__ import annotations

import pytest

from mqdiag.capture.remote.reach import host, pod
from mqdiag.errors import UsageError
from tests.folded import folded

NO_NAMES = ["", "-n", "a b", "a;b", "a\nb", "$(id)", "a`id`", "a|b", "a&b", "a'b", 'a"b', "a\\b", "a>b"]


@folded("text", [*NO_NAMES, "a/", "/b", "a/b/c", "Consumer-0", "a.", "x" * 254])
def test_what_is_no_pod_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not POD or POD/CONTAINER"):
        pod(text, None)


@folded("text", NO_NAMES)
def test_what_is_no_container_or_namespace_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        pod(f"consumer-0/{text}", None)
    with pytest.raises(UsageError, match="is not the name of a namespace"):
        pod("consumer-0", text)


@folded("text", NO_NAMES)
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a host"):
        host(text)


@folded("text", ["host-7", "app@host-7.example.org", "10.0.0.7", "ssh://app@[fe80::1%eth0]:22", "a_b"])
def test_a_host_is_taken_as_it_is(text: str) -> None:
    assert host(text).name == text


def test_pods_with_and_without_a_container() -> None:
    assert pod("consumer-7d9f6c5b8-x2lqz/app", "orders").command("true")[:5] == [
        "kubectl", "exec", "--namespace=orders", "consumer-7d9f6c5b8-x2lqz", "--container=app",
    ]  # fmt: skip
    assert pod("consumer-0.blue", None).container is None
