"""SVG elements with every text and attribute escaped."""

from __future__ import annotations

from markupsafe import Markup, escape

from mqdiag.render.wording.safe import safe
from mqdiag.sha256 import hex_digest

WIDTH = 960
CHARACTER = 7.2
"""width of an average character at 12 px"""


def element(tag: str, *children: Markup | str, **attributes: str | float | None) -> Markup:
    """One element; `class_` is class, `text_anchor` is text-anchor, an attribute that is None is left out."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_value(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    inner = Markup("").join(_text(child) for child in children)
    return Markup(f"<{tag}{written}>{inner}</{tag}>")


def picture(title: str, height: float, *children: Markup, width: float = WIDTH) -> Markup:
    """A whole SVG whose title a screen reader says.

    Args:
        title: what it shows, in a sentence with the most important numbers.
        height: in units of `width`.
        children: elements.
        width: 960 fills the page.
    """
    name = "svg-" + hex_digest(safe(f"{title}{height}", limit=None))[:8]
    return element(
        "svg",
        element("title", title, id=name),
        *children,
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        width=width,
        role="img",
        aria_labelledby=name,
        font_size=12,
    )


def text(at_x: float, at_y: float, words: str, *, kind: str = "", anchor: str | None = None) -> Markup:
    """A line of text."""
    return element("text", words, x=at_x, y=at_y, class_=kind or None, text_anchor=anchor)


def box(
    at_x: float,
    at_y: float,
    width: float,
    height: float,
    kind: str,
    hint: str = "",
    radius: float | None = None,
) -> Markup:
    """A rectangle; `hint` is shown when the pointer rests on it."""
    inner = (element("title", hint),) if hint else ()
    return element(
        "rect", *inner, x=at_x, y=at_y, width=max(width, 0.0), height=max(height, 0.0), class_=kind, rx=radius
    )


def cut(words: str, width: float) -> str:
    """As much of a text as fits, from the end where names differ, with an ellipsis."""
    room = int(width / CHARACTER)
    if len(words) <= room:
        return words
    return "" if room < 3 else "…" + words[len(words) - room + 1 :]


def begin(words: str, width: float) -> str:
    """As much of a sentence as fits, from its beginning."""
    room = max(int(width / CHARACTER), 1)
    return words if len(words) <= room else words[: room - 1] + "…"


def _text(child: Markup | str) -> Markup:
    return child if isinstance(child, Markup) else escape(safe(child, limit=400))


def _value(value: str | float | None) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return safe(str(value), limit=None)
