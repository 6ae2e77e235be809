r"""How secrets look: a literal that stands in each of them, found by one pass over the bytes, and the whole pattern.

The formats are those that the vendors document and that gitleaks keeps (https://github.com/gitleaks/gitleaks,
config/gitleaks.toml, MIT licence); most kinds have the name of the rule there. The patterns are our own: they are asked
about a piece of text around the literal, not about files of code.
"""

from __future__ import annotations

import re
from typing import NamedTuple

PAYMENT_CARD = "payment-card"
FIELD_NAME = "field-name"
"""kind of a text that is known as a secret by the name of its field alone"""
_B64 = r"[A-Za-z0-9_-]"
_FIRST = rf"(?<!{_B64})"
"""begins a run of these characters: each run is gone through once, however often the beginning of a secret is in it"""
_QUOTE = r"\\{0,7}[\"']"
"""in JSON that is a text of other JSON, backslashes stand before it"""
_ASSIGNED = rf"(?:{_QUOTE})?\s{{0,3}}[=:]\s{{0,3}}(?:{_QUOTE})?"
_KEY = rf"(?:(?i:password|passwd|secret_?key|access_?token|api_?key)|[Pp]wd(?!{_ASSIGNED}[~.]{{0,2}}/))"
"""names in texts; `pwd=/home/app` is the working folder of a shell"""
_NO_VALUE = r"[$*{<%#\[]|null\b|true\b|false\b"
_VALUE = rf"((?:[^\s\"'&;,<>()\\]|\\(?!{_QUOTE})){{6,200}})"


class Pattern(NamedTuple):
    """One kind of secret."""

    kind: str
    literals: tuple[str, ...]
    """each secret of the kind contains one of them"""
    whole: re.Pattern[str]
    """the secret itself is the last group, or all of it where there is none"""


def _pattern(kind: str, literals: tuple[str, ...], whole: str) -> Pattern:
    return Pattern(kind, literals, re.compile(whole))


PATTERNS = (
    _pattern(
        "private-key",
        ("PRIVATE KEY-----",),
        # JSON has \n in the place of the ends of lines.
        r"-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY-----(?:\s|\\+[nr])*+(?!-)[A-Za-z0-9+/=\s:,\\-]{32}",
    ),
    _pattern("jwt", ("eyJ",), rf"{_FIRST}eyJ{_B64}{{10,}}+\.eyJ{_B64}{{10,}}+\.{_B64}{{10,}}"),
    _pattern("aws-access-token", ("AKIA", "ASIA", "ABIA", "ACCA"), r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    _pattern("alibaba-access-key-id", ("LTAI",), r"\bLTAI[A-Za-z0-9]{12,26}\b"),
    _pattern("tencent-secret-id", ("AKID",), r"\bAKID[A-Za-z0-9]{32,36}\b"),
    _pattern("gcp-api-key", ("AIza",), rf"\bAIza{_B64}{{35}}"),
    _pattern(
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60,})\b",
    ),
    _pattern("gitlab-pat", ("glpat-",), rf"\bglpat-{_B64}{{20,}}"),
    _pattern("slack-token", ("xoxb-", "xoxp-", "xoxa-", "xoxe-"), r"\bxox[bpae]-[A-Za-z0-9-]{20,}"),
    _pattern("stripe-access-token", ("k_live_",), r"\b[sr]k_live_[A-Za-z0-9]{10,}"),
    _pattern("sendgrid-api-token", ("SG.",), rf"\bSG\.{_B64}{{16,32}}\.{_B64}{{30,64}}"),
    _pattern("npm-access-token", ("npm_",), r"\bnpm_[A-Za-z0-9]{36}\b"),
    _pattern("pypi-upload-token", ("pypi-AgE",), rf"\bpypi-AgE{_B64}{{50,}}"),
    _pattern("openai-api-key", ("T3BlbkFJ",), rf"{_FIRST}sk-{_B64}{{16,}}T3BlbkFJ{_B64}{{16,}}"),
    _pattern("anthropic-api-key", ("sk-ant-",), rf"\bsk-ant-{_B64}{{40,}}"),
    _pattern("hashicorp-vault-token", ("hvs.", "hvb."), rf"\bhv[sb]\.{_B64}{{24,}}"),
    _pattern("databricks-api-token", ("dapi",), r"\bdapi[a-f0-9]{32}\b"),
    _pattern("jdbc-url", ("jdbc:",), r"\bjdbc:[a-z0-9:]{1,60}(?://|@)[\w\[(][^\s\"']*"),
    _pattern(
        "url-with-password",
        ("://",),
        r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/@:\"'<>{}]{0,100}:(?![$*{<%])([^\s/@\"'<>]{1,100})@",
    ),
    _pattern(
        "password-in-text",
        (
            "assword",
            "ASSWORD",
            "asswd",
            "secretKey",
            "secret_key",
            "accessToken",
            "access_token",
            "apiKey",
            "pwd",
            "Pwd",
        ),
        rf"{_KEY}{_ASSIGNED}(?!{_NO_VALUE}){_VALUE}"
        rf"|<[\w.:-]{{0,60}}{_KEY}(?:\s[^<>]{{0,100}})?>\s{{0,3}}(?!{_NO_VALUE}){_VALUE}(?=\s{{0,3}}<\\{{0,7}}/)",
    ),
    _pattern("authorization-header", ("Bearer ", "Basic "), r"\b(?:Bearer|Basic) ([A-Za-z0-9._~+/=-]{20,})"),
)

SECRET_NAMES = re.compile(
    r"(?i)pass(?:word|wd|phrase)$|passwd|^pwd$|secret_?(?:key|id)?$|(?:access|auth|refresh|session|security)_?token$"
    r"|(?:api|access|private|secret|encrypt(?:ion)?)_?key$|credential$"
    r"|^(?:id|bank)_?card(?:_?no)?$|^card_?(?:no|number)$|^ssn$|^passport(?:_?no)?$|^(?:mobile|phone)(?:_?(?:no|number))?$"
    r"|^e?mail(?:_?address)?$|^(?:birthday|birth_?date)$|^real_?name$"
)
"""names that Java code gives to fields with credentials or personal data"""
_WORD = re.compile(r"[\w.-]+")


def is_setting_name(text: str) -> bool:
    """Whether a constant holds no secret and is the name of one, as in `PASSWORD = "spring.datasource.password"`."""
    name = text.rpartition(".")[2].replace("-", "_")
    return _WORD.fullmatch(text) is not None and SECRET_NAMES.search(name) is not None


CARD = re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-]|\.\d)")
_BRANDS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}"
    r"|(?:6011|64[4-9]\d|65\d\d)\d{12}|62\d{14,17}|35(?:2[89]|[3-8]\d)\d{12}"
)
"""ISO/IEC 7812: Visa, Mastercard, American Express, Discover, UnionPay, JCB"""


def is_card(text: str) -> bool:
    """Whether digits, perhaps in groups, are the number of a payment card: its beginning, length and check digit."""
    digits = text.replace(" ", "").replace("-", "")
    if not _BRANDS.fullmatch(digits) or len(set(digits)) < 3:
        return False
    doubled = "0246813579"
    total = sum(
        int(doubled[int(digit)] if place % 2 else digit) for place, digit in enumerate(reversed(digits))
    )
    return total % 10 == 0


def secrets_in(text: str) -> tuple[str, ...]:
    """The secrets of a known form in a short text."""
    return tuple(
        found[found.lastindex or 0]
        for pattern in PATTERNS
        if any(literal in text for literal in pattern.literals)
        for found in pattern.whole.finditer(text)
    )
