"""The words of reports that not every reader knows: at the end of pages and of full texts, and in docs/glossary.md."""

from __future__ import annotations

from mqdiag.render.parts import Pairs, Section
from mqdiag.text import Text, say

GLOSSARY: tuple[tuple[str | Text, Text], ...] = (
    (say("span"), say("The last offset minus the first one of the messages that a client caches of a queue.")),
    (
        say("held"),
        say(
            "The bodies of the messages that a consumer caches now. It may exceed what is allowed by one batch a queue."
        ),
    ),
    (say("allowed"), say("The bodies that the thresholds of a consumer let all of its queues cache together.")),
    (say("shallow size"), say("The bytes of an object alone, without the objects that it refers to.")),
    (
        say("retained size"),
        say("The bytes that become free if an object goes: its own and those that only it keeps."),
    ),
    (
        say("GC root"),
        say("What keeps objects alive by itself: a thread, a local variable of it, a class, JNI."),
    ),
    (
        say("reachable"),
        say("What a GC root keeps alive. The rest of a dump is garbage that no collection has removed yet."),
    ),
    (
        say("in hand"),
        say("The time since a listener got the first cached message of a queue, and did not finish it."),
    ),
    (
        say("consume offset"),
        say(
            "The position of a group in a queue. It cannot pass the first message that is not finished, so one message"
            " that hangs holds it."
        ),
    ),
    (
        say("lag"),
        say("The messages that wait on the broker behind what the client has pulled, as of its last pull."),
    ),
    (
        say("flow control"),
        say(
            "A client pulls a queue no further for a moment: it caches too many messages, too many bytes, or too wide a"
            " span."
        ),
    ),
    (
        say("dropped queue"),
        say("A queue that a rebalance took away from the consumer, and whose messages it still has."),
    ),
    (
        "%RETRY%, %DLQ%",
        say("Topics of a group: messages that failed and come again, and those that failed too often."),
    ),
    (
        say("check point of POP"),
        say(
            "Since 5.0 the broker can keep the positions of a group. A check point is its record of a delivered batch."
        ),
    ),
    ("PAGECACHERT", say("A line of store.log each minute: how many writes of the broker took how long.")),
    (
        "[PCBUSY_CLEAN_QUEUE]",
        say("The broker refused a waiting message, as a write held the page cache for more than a second."),
    ),
    (
        "[TIMEOUT_CLEAN_QUEUE]",
        say(
            "The broker refused a message that waited for a send thread for longer than waitTimeMillsInSendQueue."
        ),
    ),
    (say("safepoint"), say("A moment at which all threads of the JVM stand still, as for a collection.")),
    (say("stuck"), say("A thread that is at the same work in all samples and makes no progress.")),
    (say("blocked"), say("A thread that waits for a lock, a pool or a result that another thread must give.")),
    (
        say("fingerprint"),
        say("The key of a finding, the same in each run, by which a baseline and `mqdiag diff` know it."),
    ),
)


def glossary_section() -> Section:
    """All words."""
    return Section(
        name="words",
        title=say("Words in reports"),
        parts=(Pairs(GLOSSARY),),
        wide=True,
        paper=False,
        folded=True,
    )
