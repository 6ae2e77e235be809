"""Settings of the RocketMQ consumers. A key that no version has is a typing error and is refused."""

# Without annotations as strings: msgspec would compile each of them at the first use of a type, 0.2 ms in each run.

from functools import cache

import msgspec

from mqdiag.knowledge import packed


class ConsumerSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names of settings by the kind of their values."""

    numbers: frozenset[str]
    switches: frozenset[str]
    """settings that are true or false"""
    texts: frozenset[str]
    push_defaults: dict[str, tuple[int, ...]]
    """values of a push consumer that nobody set, of all versions"""

    @property
    def names(self) -> frozenset[str]:
        """All of them."""
        return self.numbers | self.switches | self.texts


@cache
def consumer_settings() -> ConsumerSettings:
    """The settings of all versions."""
    return packed.decode(packed.ROOT, "consumer_settings", ConsumerSettings)
