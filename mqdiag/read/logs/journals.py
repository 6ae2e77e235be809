"""How lines of syslog and of systemd's journal begin: a time, the host, and the program that wrote the line.

Source: RFC 3164 and 5424, rsyslog's forms of times, journalctl's outputs short to short-unix and with-unit, dmesg -x.
"""

from __future__ import annotations

TIME = (
    r"(?:\d{4}-\d\d-\d\dT\S{8,30}|(?:\d{4} )?[A-Z][a-z]{2} [ \d]\d [\d:]{8}(?:\.\d{3,9})?"
    r"|[A-Z][a-z]{2} \d{4}-\d\d-\d\d [\d:]{8}(?:\.\d{3,9})? [A-Z][\w+:-]{0,9}"
    r"|\d{1,2}月 [ \d]\d [\d:]{8}(?:\.\d{3,9})?|\[ {0,9}\d{1,12}\.\d{6}\]|\d{10}\.\d{6})"
)
"""pattern of a time, by the wall or since the start"""
HOST = r"[\w.-]{1,200}"
PROGRAM = r"[\w./@()-]{1,100}(?:\[\d{1,10}\])?"
BY_NUMBERS = (
    rf"(?:<\d{{1,3}}>)?1 \d{{4}}-\d\d-\d\dT\S{{1,40}} \S{{1,200}} (?:{PROGRAM}|-) \S{{1,100}} \S{{1,100}}"
    r" (?:-|\[.{0,200}?\]) "
)
"""pattern of the form of RFC 5424; some leave its priority out"""
BY_WORDS = rf"(?:<\d{{1,3}}>)?{TIME} {HOST} {PROGRAM}: "
OF_DMESG = r"[a-z]{1,8} {0,6}:[a-z]{1,6} {0,4}: (?=\[)"
"""pattern of what dmesg -x puts before its lines"""
