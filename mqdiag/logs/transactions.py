"""Producers of transactional messages: what their listeners throw when the broker asks for an outcome.

Source: DefaultMQProducerImpl.checkTransactionState, clients 3.2.6 to 5.5.0.
"""

from __future__ import annotations

from mqdiag.logs.consuming import count_thrown
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.tally import Subject
from mqdiag.logs.thrown import thrown_in


def check_threw(message: Message, log: LogTally) -> None:
    """The listener threw; the line names no group."""
    if log.add("transaction-check-threw", message, Subject(), side="client") is not None:
        count_thrown(message, log, None, thrown_in(message), "transactions")
