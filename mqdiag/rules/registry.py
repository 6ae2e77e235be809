"""What a rule file is made of: one `RULE` with its card, and one check for each kind of evidence that shows the fault.

    RULE = Rule(name="page-cache-busy", title="...", why="...", ...)

    @RULE.sees("heap")
    def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]: ...

    @RULE.sees("logs")
    def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]: ...

The sentences of a `Draft` are texts (`mqdiag.text.say`) whose placeholders are filled from its evidence and subject.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from mqdiag.findings import Finding, RuleCard, Severity
from mqdiag.rules.said import LITERALS, Check, Draft, Limits, Place, Said, Skip
from mqdiag.text import Text, placeholders, say

__all__ = ["LITERALS", "Check", "Draft", "Limits", "Place", "Rule", "Said", "Skip"]

InChain = Text | Callable[[Finding], Text]

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


class Rule:
    """A fault: its card, its checks, and its place in a chain of causes.

    Args:
        name: stable kebab-case name of the fault; the file has it with underscores.
        title: the fault as one sentence.
        why: what goes wrong and why it matters, for the rule's page.
        causes: all values that `cause` can have.
        severities: all severities that it can give, worst first.
        remedy: what to change in general; a finding's own remedy names the values. `{group:arg GROUP}` in it is GROUP
            on the card, and the group of a finding that has one.
        references: articles, issues, classes that the rule rests on.
        limits: thresholds by name; `mqdiag.toml` can set each.
        explained_by: rules whose finding on the same subject is the root cause of this one; "rule:cause" where only
            one of its causes is.
        explained_causes: causes of its own findings that those rules explain; empty for all.
        of_process: it names a thread, yet hits the whole process: it may explain what any group of it suffers.
        links: whether a chain of causes shows it behind its cause; False where it adds nothing to what its cause says.
        lies_at: the process in which the fault lies.
        in_chain: the fault as a link of a chain of causes; its title where there is none.
        leads_to: by the name of the rule that it explains, the word between the two; "so" for all others.
        same_as: rules that show the same fault in other evidence.
        severity_alone: severity of a finding that no other finding explains.
        undecides: its finding says that the evidence does not suffice, not that something is wrong.
        since: first version that has the rule.
        proven_on: what the rule was tried on where no real evidence of the fault was at hand.
    """

    def __init__(
        self,
        *,
        name: str,
        title: str,
        why: str,
        causes: tuple[str, ...],
        severities: tuple[Severity, ...],
        remedy: tuple[str | Text, ...],
        references: tuple[str, ...],
        limits: Mapping[str, float] | None = None,
        explained_by: tuple[str, ...] = (),
        explained_causes: tuple[str, ...] = (),
        of_process: bool = False,
        links: bool = True,
        lies_at: Place = "client",
        in_chain: InChain | None = None,
        leads_to: Mapping[str, Text] | None = None,
        same_as: tuple[str, ...] = (),
        severity_alone: Severity | None = None,
        undecides: bool = False,
        since: str = "0.1.0",
        proven_on: str | Text = "",
    ) -> None:
        if not NAME.fullmatch(name):
            raise ValueError(f"rule name {name!r} is not kebab-case")
        for label, text in (("title", title), ("why", why), ("causes", causes), ("remedy", remedy)):
            if not text:
                raise ValueError(f"rule {name}: {label} is empty")
        self.name = name
        self.title, self.why = say(title), say(why)
        self.remedy = tuple(map(_text, remedy))
        self.causes, self.severities, self.references = causes, severities, references
        self.limits = dict(limits or {})
        self.explained_by, self.explained_causes = explained_by, explained_causes
        self.of_process, self.same_as = of_process, same_as
        self.links = links
        self.lies_at, self.in_chain, self.leads_to = lies_at, in_chain, dict(leads_to or {})
        self.undecides = undecides
        self.severity_alone = severity_alone
        self.since, self.proven_on = since, _text(proven_on)
        self.checks: list[tuple[tuple[str, ...], Check]] = []

    def sees(self, *evidence: str) -> Callable[[Check], Check]:
        """Add a check.

        Args:
            evidence: the parts of `Facts` that it needs, all of them: "heap", "stacks", "logs", "stores", "admin",
                "crash", "fleet". Without any it always runs.
        """

        def added(check: Check) -> Check:
            self.checks.append((evidence, check))
            return check

        return added

    @property
    def evidence(self) -> tuple[tuple[str, ...], ...]:
        """For each check the kinds of evidence that it needs."""
        return tuple(evidence for evidence, _ in self.checks)

    @property
    def needs(self) -> tuple[str, ...]:
        """Kinds of evidence that every check needs."""
        kinds = [set(evidence) for evidence, _ in self.checks]
        return tuple(kind for kind in self.checks[0][0] if all(kind in own for own in kinds))

    @property
    def any_of(self) -> tuple[str, ...]:
        """Kinds of evidence of which one is enough; empty where nothing is left to choose."""
        return tuple(
            dict.fromkeys(kind for evidence, _ in self.checks for kind in evidence if kind not in self.needs)
        )

    @property
    def card(self) -> RuleCard:
        """The rule's own texts, for catalogues and for renderers."""
        return RuleCard(
            name=self.name,
            title=self.title,
            why=self.why,
            causes=self.causes,
            severities=self.severities,
            remedy=tuple(map(_with_placeholders, self.remedy)),
            references=self.references,
            needs=self.needs,
            any_of=self.any_of,
            limits=self.limits,
            explained_by=self.explained_by,
            explained_causes=self.explained_causes,
            of_process=self.of_process,
            links=self.links,
            leads_to=self.leads_to,
            same_as=self.same_as,
            severity_alone=self.severity_alone,
            since=self.since,
            proven_on=self.proven_on,
        )

    def link(self, finding: Finding) -> Text:
        """A finding of this rule as a link of a chain."""
        if self.in_chain is None:
            return finding.title
        return self.in_chain if isinstance(self.in_chain, Text) else self.in_chain(finding)


def _text(text: str | Text) -> Text:
    """A sentence of a card; several rules share one by a constant that is a text already."""
    return text if isinstance(text, Text) else say(text)


def _with_placeholders(remedy: Text) -> Text:
    """A remedy as a card has it, which knows no names."""
    return remedy.filled(dict.fromkeys((name for name, _ in placeholders(remedy.template)), None))
