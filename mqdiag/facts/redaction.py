"""What each text of the evidence may tell, said in its field's type.

A field of plain `str` is hidden by `--redact`: nothing leaks because somebody forgot. A `Text` holds our own words and
values, and is redacted value by value.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Annotated

HIDDEN = "(hidden)"
"""what stands for a text that is not shown"""


class Redact(Enum):
    """What becomes of a text."""

    PUBLIC = auto()
    NAME = auto()
    THREAD = auto()
    KEY = auto()
    MESSAGE = auto()
    CLIENT = auto()
    ADDRESS = auto()
    SETTING = auto()
    LABEL = auto()
    NODE = auto()
    PROCESS = auto()
    EVIDENCE = auto()
    HIDDEN = auto()


Public = Annotated[str, Redact.PUBLIC]
"""names of classes, groups, topics, files and settings; words of our own; ids and times: it stays"""
Name = Annotated[str, Redact.NAME]
"""the name of a broker, or a value as a server or a JVM printed it: it stays, and an address in it becomes address-1"""
ThreadName = Annotated[str, Redact.THREAD]
"""a thread or pool: names that the JVM and RocketMQ give stay, any other becomes thread-1"""
MessageKeys = Annotated[str, Redact.KEY]
"""keys of a message"""
AccessKey = Annotated[str, Redact.KEY]
"""the key by which a client signs its requests; not its secret"""
MessageId = Annotated[str, Redact.MESSAGE]
"""the id of a message, which holds the sender's address"""
ClientId = Annotated[str, Redact.CLIENT]
"""address, process and instance name of a client"""
Address = Annotated[str, Redact.ADDRESS]
"""host and port"""
Setting = Annotated[str, Redact.SETTING]
"""a setting's value: constants, numbers and names stay, any other text is hidden"""
Node = Annotated[str, Redact.NODE]
"""an object of the heap as people name it: classes and fields stay; a thread's name stands in quotation marks"""
Label = Annotated[str, Redact.LABEL]
"""what names an object of `mqdiag show`: hidden for strings, as a thread's name for threads"""
ProcessName = Annotated[str, Redact.PROCESS]
"""a process as people call it: its number or file stays, the host that it ran on becomes host-1"""
EvidenceText = Annotated[str, Redact.EVIDENCE]
"""a value of evidence: its key says what it means"""
Excerpt = Annotated[str, Redact.HIDDEN]
"""a piece of the evidence itself: a log line, the text of a string"""
