"""The arithmetic of what thresholds allow."""

from __future__ import annotations

from mqdiag.facts.bounds import MIB, CacheLimits, cache_limits, largest_bound_bytes, recommend
from mqdiag.facts.heap import ConfigValue, ConsumerFacts
from mqdiag.facts.heap_classes import KindTraits
from tests.folded import folded
from tests.rules.checks import of_kind


def _limits(
    queues: int = 55, threshold: int = 100, size_mib: int | None = 100, average: float = 428_311.0
) -> CacheLimits:
    return CacheLimits(queues=queues, threshold=threshold, size_mib=size_mib, average_body_bytes=average)


def test_the_articles_product() -> None:
    assert _limits().bound_bytes() == 55 * 100 * 428_311 == 2_355_710_500
    assert _limits().bound_bytes() // MIB == 2246


def test_the_articles_intended_value_would_have_fitted() -> None:
    assert _limits(threshold=40).bound_bytes() == 55 * 40 * 428_311
    assert _limits().bound_bytes(threshold=40) == 55 * 40 * 428_311


def test_size_limit_allows_one_mib_more_than_it_says() -> None:
    limits = _limits(queues=4, threshold=1000, size_mib=100, average=150_000)
    assert limits.bound_bytes() == 4 * 101 * MIB
    assert limits.bound_bytes(size_mib=10) == 4 * 11 * MIB


def test_without_a_size_limit_only_the_count_bounds() -> None:
    assert _limits(size_mib=None, threshold=1000).bound_bytes() == 55 * 1000 * 428_311


def test_a_higher_value_than_the_consumers_own_changes_nothing() -> None:
    assert _limits().bound_bytes(threshold=1000, size_mib=1024) == _limits().bound_bytes()


@folded(
    "changes, known",
    [
        ({}, True),
        (of_kind("lite-pull"), True),
        (of_kind("pull"), False),
        ({"measured_messages": 31}, False),
        ({"average_body_bytes": None}, False),
        ({"bounded_queues": None}, False),
        ({"config": {}}, False),
        ({"config": {"pullThresholdForQueue": "many"}}, False),
        (of_kind("pop"), False),
    ],
)
def test_limits_are_known_only_when_every_part_is(changes: dict[str, object], known: bool) -> None:
    config: dict[str, ConfigValue] = {"pullThresholdForQueue": 100, "pullThresholdSizeForQueue": 100}
    parts: dict[str, object] = {
        "group": "g",
        "kind": "push",
        "config": config,
        "bounded_queues": 3,
        "average_body_bytes": 10.0,
        "measured_messages": 32,
    }
    consumer = ConsumerFacts(**{**parts, **changes})  # type: ignore[arg-type]
    assert (cache_limits(consumer) is not None) is known


def test_pop_counts_messages_by_its_own_setting_and_has_no_size_limit() -> None:
    consumer = ConsumerFacts(
        group="g",
        **of_kind("pop"),
        config={"pullThresholdForQueue": 1000, "pullThresholdSizeForQueue": 100, "popThresholdForQueue": 96},
        bounded_queues=2,
        average_body_bytes=1000.0,
        measured_messages=50,
    )
    limits = cache_limits(consumer)
    assert limits is not None
    assert (limits.threshold, limits.size_mib) == (96, None)


def test_a_limit_of_the_whole_consumer_applies_once() -> None:
    consumer = ConsumerFacts(
        group="g",
        kind="push",
        traits=KindTraits(count_setting="maxCachedMessages", size_setting=None, limit_scope="consumer"),
        config={"maxCachedMessages": 1024},
        bounded_queues=8,
        average_body_bytes=1000.0,
        measured_messages=50,
    )
    limits = cache_limits(consumer)
    assert limits is not None
    assert limits.bound_bytes() == 1024 * 1000


def test_largest_bound_of_the_article() -> None:
    """A message of 428 KB ends a pull by itself, so the overshoot is one message: 55 x 101."""
    bound = largest_bound_bytes(
        _limits(),
        largest_body_bytes=428_311,
        average_stored_bytes=428_600,
        expansion=1.0,
        batch=32,
        overhead_bytes=0,
    )
    assert bound == 55 * 101 * 428_311
    assert bound // MIB == 2269


def test_largest_bound_of_small_messages_takes_a_whole_batch_more() -> None:
    bound = largest_bound_bytes(
        _limits(queues=1, threshold=100, average=100),
        largest_body_bytes=200,
        average_stored_bytes=300,
        expansion=1.0,
        batch=1024,
        overhead_bytes=2048,
        orphan_body_bytes=7,
    )
    assert bound == 132 * 200 + 132 * 2048 + 7


def test_largest_bound_stops_at_the_size_limit_plus_one_expanded_pull() -> None:
    bound = largest_bound_bytes(
        _limits(queues=1, threshold=1000, size_mib=10),
        largest_body_bytes=MIB,
        average_stored_bytes=100_000,
        expansion=10.0,
        batch=32,
        overhead_bytes=0,
    )
    assert bound == 11 * MIB - 1 + 10 * 256 * 1024


def test_recommendation_for_the_article() -> None:
    advice = recommend([_limits()], 2 * 1024**3, 0.3)
    assert advice is not None
    assert advice.threshold == int(0.3 * 2 * 1024**3 / (55 * 428_311)) == 27
    assert advice.size_mib == int(0.3 * 2048 / 55) - 1 == 10
    assert _limits().bound_bytes(threshold=advice.threshold) <= advice.allowed_bytes
    assert _limits().bound_bytes(threshold=advice.threshold + 1) > advice.allowed_bytes


def test_recommendation_is_at_least_one() -> None:
    advice = recommend([_limits(average=50 * MIB)], 64 * MIB, 0.3)
    assert advice is not None
    assert (advice.threshold, advice.size_mib) == (1, 1)


def test_recommendation_over_several_consumers_keeps_lower_values() -> None:
    modest = _limits(queues=2, threshold=5, average=1000)
    advice = recommend([_limits(), modest], 2 * 1024**3, 0.3)
    assert advice is not None
    total = _limits().bound_bytes(threshold=advice.threshold) + modest.bound_bytes()
    assert total <= advice.allowed_bytes
    both = [_limits(queues=10, average=1_000_000), _limits(queues=10, average=1_000_000)]
    half = recommend(both, 1000 * MIB, 0.3)
    alone = recommend(both[:1], 1000 * MIB, 0.3)
    assert half is not None
    assert alone is not None
    assert half.threshold == alone.threshold // 2


def test_no_recommendation_without_queues() -> None:
    assert recommend([], 1024, 0.3) is None
    assert recommend([_limits(queues=0)], 1024, 0.3) is None


def test_old_clients_get_no_size_recommendation() -> None:
    advice = recommend([_limits(size_mib=None)], 2 * 1024**3, 0.3)
    assert advice is not None
    assert advice.size_mib is None
