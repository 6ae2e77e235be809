"""What the checks of a rule are given: all facts, those of one kind of evidence, or their parts one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.admin import AdminFacts
from mqdiag.facts.broker import BrokerFacts
from mqdiag.facts.fleet import FleetFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.profiles import Profile
from mqdiag.facts.recordings import Recording
from mqdiag.facts.stacks import StacksFacts
from mqdiag.rules.draft import Check, Findings, Limits, Skip

if TYPE_CHECKING:
    from mqdiag.rules.shared.broker_status import Counters
    from mqdiag.rules.shared.waste import Wasted

_Part = TypeVar("_Part")


class Views:
    """The checks of a rule's file, which its decorators add."""

    def __init__(self) -> None:
        self.own_checks: list[tuple[tuple[str, ...], Check]] = []

    def _of_grpc(self) -> Skip | None:
        """Why no check of a heap is made where all consumers are of the gRPC client; None where checks are."""
        raise NotImplementedError

    def sees(self, *evidence: str) -> Callable[[Check], Check]:
        """Add a check of all facts.

        Args:
            evidence: the parts of `Facts` that it needs, all of them: "heap", "stacks", "logs", "stores", "admin",
                "crash", "recordings", "profiles", "resources", "fleet". Without any it always runs.
        """

        def added(check: Check) -> Check:
            self.own_checks.append((evidence, check))
            return check

        return added

    def heap(self, check: Callable[[HeapFacts, Limits], Findings]) -> Check:
        """Add a check of a heap dump, also of one that was only counted.

        Where all consumers of the dump are of the gRPC client and the card has a skip "grpc", that is said instead.
        """
        return self._each("heap", self._heap, check)

    def graph(self, check: Callable[[HeapFacts, Limits], Findings]) -> Check:
        """The same for a heap dump whose queues and holders were read; it is skipped with the reason elsewhere."""
        return self._each("heap", self._graph, check)

    def ages(self, check: Callable[[HeapFacts, Limits], Findings]) -> Check:
        """The same for a fault that only ages show; where none is known the rule says so, and tells what it finds."""
        from mqdiag.rules.shared.graph_needed import with_ages

        return self._each("heap", lambda facts: with_ages(self._graph(facts)), check)

    def whole_graph(self, check: Callable[[HeapFacts, Limits], Findings]) -> Check:
        """The same for a check that concludes from what is not there: a cut dump lacks objects that the JVM had."""
        return self._each("heap", self._whole_graph, check)

    def whole_ages(self, check: Callable[[HeapFacts, Limits], Findings]) -> Check:
        """A check as `whole_graph` and `ages` add it."""
        from mqdiag.rules.shared.graph_needed import with_ages

        return self._each("heap", lambda facts: with_ages(self._whole_graph(facts)), check)

    def waste(self, check: Callable[[Wasted, Limits], Findings]) -> Check:
        """Add a check of what a heap dump shows to be wasted."""
        from mqdiag.rules.shared.waste import wasted

        return self._each("heap", wasted, check)

    def brokers(self, check: Callable[[BrokerFacts, Limits], Findings]) -> Check:
        """Add a check of each broker of a heap dump."""
        from mqdiag.rules.shared.brokers import brokers_of_heap

        return self._each("heap", brokers_of_heap, check)

    def stacks(self, check: Callable[[StacksFacts, Limits], Findings]) -> Check:
        """Add a check of thread dumps."""
        return self._each("stacks", lambda facts: () if facts.stacks is None else (facts.stacks,), check)

    def logs(self, check: Callable[[LogsFacts, Limits], Findings]) -> Check:
        """Add a check of all logs together."""
        return self._each("logs", lambda facts: () if facts.logs is None else (facts.logs,), check)

    def broker_logs(self, check: Callable[[LogsFacts, Limits], Findings]) -> Check:
        """Add a check of the logs of each broker by themselves."""
        from mqdiag.rules.shared.brokers import brokers_of_logs

        return self._each("logs", brokers_of_logs, check)

    def admin(self, check: Callable[[AdminFacts, Limits], Findings]) -> Check:
        """Add a check of answers of mqadmin."""
        return self._each("admin", lambda facts: () if facts.admin is None else (facts.admin,), check)

    def counters(self, check: Callable[[Counters, Limits], Findings]) -> Check:
        """Add a check of the counters that mqadmin printed of each broker."""
        from mqdiag.rules.shared.broker_status import counters

        return self._each("admin", counters, check)

    def recordings(self, check: Callable[[Recording, Limits], Findings]) -> Check:
        """Add a check of each recording of a JVM."""
        return self._each(
            "recordings",
            lambda facts: () if facts.recordings is None else facts.recordings.recordings,
            check,
        )

    def profiles(self, check: Callable[[Profile, Limits], Findings]) -> Check:
        """Add a check of each file of collapsed stacks."""
        return self._each(
            "profiles", lambda facts: () if facts.profiles is None else facts.profiles.profiles, check
        )

    def fleet(self, check: Callable[[FleetFacts, Limits], Findings]) -> Check:
        """Add a check of the incidents of a fleet."""
        return self._each("fleet", lambda facts: () if facts.fleet is None else (facts.fleet,), check)

    def _each(
        self,
        evidence: str,
        parts: Callable[[Facts], Iterable[_Part | Skip]],
        check: Callable[[_Part, Limits], Findings],
    ) -> Check:
        def made(facts: Facts, limits: Limits) -> Findings:
            for part in parts(facts):
                if isinstance(part, Skip):
                    yield part
                else:
                    yield from check(part, limits)

        return self.sees(evidence)(made)

    def _heap(self, facts: Facts) -> Iterator[HeapFacts | Skip]:
        """The heap; the reason where none of its consumers is judged by the rule."""
        if facts.heap is not None:
            skip = self._of_grpc() if facts.heap.only_grpc else None
            yield facts.heap if skip is None else skip

    def _graph(self, facts: Facts) -> Iterator[HeapFacts | Skip]:
        from mqdiag.rules.shared.graph_needed import without_graph

        skip = None if facts.heap is None else without_graph(facts.heap)
        yield from self._heap(facts) if skip is None else (skip,)

    def _whole_graph(self, facts: Facts) -> Iterator[HeapFacts | Skip]:
        from mqdiag.rules.shared.graph_needed import without_whole

        skip = without_whole(facts)
        yield from self._graph(facts) if skip is None else (skip,)
