"""Consume groups in the samples of a profiler."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mqdiag.facts.profiles import Profile, SampledGroup
from mqdiag.findings import Confidence, Subject
from mqdiag.knowledge.words import Words
from mqdiag.rules.draft import Draft
from mqdiag.rules.shared.standstill import short_frame
from mqdiag.text import NOTHING, Text

if TYPE_CHECKING:
    from mqdiag.rules.rule import Rule

LEAST_SAMPLES = 20
"""samples of the threads of a group from which their shares say something"""
WORDS = Words("sampled_groups")


def sampled_groups(profile: Profile) -> Iterator[SampledGroup]:
    """Groups with enough samples, of a profile that counts time."""
    for group in profile.groups:
        if group.samples >= LEAST_SAMPLES * group.threads:
            yield group


def sampled_group_case(
    rule: Rule, name: str, profile: Profile, group: SampledGroup, *, cause: str | None = None
) -> Draft:
    """A finding on a group by its samples.

    Args:
        rule: that finds it.
        name: of the case, which has the short `frame`, what the threads are `doing`, the shares `at_frame` and
            `of_all`, and the lines `seen`.
        profile: of the group.
        group: what its threads did.
        cause: where it is not that of the case.
    """
    busy = group.running + group.waiting
    return rule.case(
        name,
        subject=Subject(group=group.group),
        evidence={
            "path": profile.path,
            "pool_size": group.threads,
            "sampled": group.samples,
            "busy_share": round(group.busy_share, 4),
            "frame": group.frame,
            "frame_share": group.frame_share,
            "doing": group.doing,
        },
        words={
            "frame": short_frame(group.frame) if group.frame else NOTHING,
            "doing": Text(group.doing) if group.doing else NOTHING,
            "at_frame": busy * (group.frame_share or 0.0) / group.samples,
            "of_all": group.samples / profile.samples,
        },
        given={"seen": tuple(_seen(profile, group))},
        confidence=Confidence.MEDIUM,
        because=WORDS.say("no_times"),
        cause=cause,
        rests_on=(profile.path,),
        weight=float(group.threads),
    )


def _seen(profile: Profile, group: SampledGroup) -> Iterator[Text]:
    parts = {"idle": group.idle, "running": group.running, "waiting": group.waiting}
    shown = sorted(parts.items(), key=lambda part: -part[1])
    yield WORDS.say(
        "parts" if profile.by_wall else "parts_of_running",
        threads=group.threads,
        samples=group.samples,
        parts=tuple(WORDS.say(name, share=count / group.samples) for name, count in shown if count),
    )
    if group.frame and group.frame_share:
        yield WORDS.say("frame", share=group.frame_share, frame=short_frame(group.frame))
