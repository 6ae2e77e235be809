"""What a path says about a file."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mqdiag.errors import UsageError
from mqdiag.fleet.files.labels import UNKNOWN, Template, default_labels, parse_time
from tests.folded import folded

EIGHT_NS = int(datetime(2026, 11, 21, 8, 0, tzinfo=UTC).timestamp()) * 10**9


@folded(
    "text",
    [
        "2026-11-21T08:00:00Z",
        "2026-11-21T08:00:00",
        "2026-11-21T09:00:00+01:00",
        "2026-11-21_08-00-00",
        "20261121T080000Z",
        "20261121-080000",
        "20261121080000",
        "20261121-0800",
        str(EIGHT_NS // 10**9),
        str(EIGHT_NS // 10**6),
    ],
)
def test_times(text: str) -> None:
    assert parse_time(text) == EIGHT_NS


@pytest.mark.parametrize("text", ["", "yesterday", "20261321-080000", "12"])
def test_no_times(text: str) -> None:
    assert parse_time(text) is None


def test_a_template_reads_all_parts() -> None:
    labels = Template("{environment}/{service}/{host}/{time}.hprof").labels(
        "prod/orders/h1/20261121-080000.hprof.gz"
    )
    assert labels is not None
    assert (labels.environment, labels.service, labels.host, labels.time_ns) == (
        "prod",
        "orders",
        "h1",
        EIGHT_NS,
    )


@pytest.mark.parametrize(
    "path", ["orders/20261121-080000.hprof", "orders/h1/later.hprof", "a/b/c/20261121.hprof"]
)
def test_a_path_of_another_shape_fits_no_template(path: str) -> None:
    assert Template("{service}/{host}/{time}.hprof").labels(path) is None


def test_stars() -> None:
    template = Template("dumps/*/{service}-{host}.hprof")
    labels = template.labels("dumps/2026/orders-h1.hprof")
    assert labels is not None
    assert (labels.service, labels.host) == ("orders", "h1")
    assert template.labels("dumps/2026/11/orders-h1.hprof") is None
    assert Template("**/{host}.hprof").labels("a/b/c/h1.hprof") is not None


def test_further_parts_are_labels_of_one_s_own() -> None:
    labels = Template("{team}/{service}/{host}/{image}/**").labels("core/orders/h1/shop:8.2/x/a.hprof")
    assert labels is not None
    assert labels.more == (("image", "shop:8.2"), ("team", "core"))


@folded(
    "text", ["{servce}/{host}", "a/b.hprof", "{host}/{host}", "{env}/{host}", "{hostname}/x", "{A b}/{host}"]
)
def test_a_wrong_template_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        Template(text)


def test_without_a_template_folders_are_service_and_host() -> None:
    assert default_labels("orders/h1/x/d.hprof").service == "orders"
    assert default_labels("orders/h1/x/d.hprof").host == "h1"
    assert default_labels("orders/d.hprof").host == "d"
    assert default_labels("d.hprof").service == UNKNOWN


def test_files_of_unknown_hosts_are_hosts_of_their_own() -> None:
    """Two dumps in one folder may be of two machines: they must not be read as one incident."""
    assert default_labels("orders/a.hprof").host != default_labels("orders/b.hprof").host
