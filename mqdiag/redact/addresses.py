"""How addresses of hosts look inside of texts: an IP with or without a port, and a host's name with a port."""

from __future__ import annotations

import re

_PORT = r":\d{1,5}"
_IPV4 = rf"(?<![^\W_])(?:\d{{1,3}}\.){{3}}\d{{1,3}}(?:{_PORT})?(?![^\W_]|\.\w)"
_IPV6 = r"(?=[\dA-Fa-f:]{0,37}::|(?:[\dA-Fa-f]{1,4}:){7})[\dA-Fa-f:.]{3,45}+(?:%\w{1,20})?"
"""two colons in a row, or eight groups: a time of the day has neither"""
_HOST_AND_PORT = rf"(?<![\w-])(?=[\d_.-]*+[^\W\d_])[\w.-]++{_PORT}(?![\w:])"
ADDRESS = re.compile(rf"\[{_IPV6}\](?:{_PORT})?|(?<![.:])(?:{_IPV4}|{_HOST_AND_PORT}|(?<!\w){_IPV6}(?!\w))")
