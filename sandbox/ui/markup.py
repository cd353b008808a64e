"""Markup that can only be made safe: every text is escaped, every attribute is on a list.

The page shows what people, models and files wrote. All of it passes through `element`, and no
other module builds markup.
"""

from dataclasses import dataclass
from html import escape

ATTRIBUTES = {
    "cls": "class",
    "on": "data-on",
    "id": "data-id",
    "text": "data-text",
    "session": "data-session",
    "dir": "dir",
    "role": "role",
    "label": "aria-label",
    "current": "aria-current",
    "pressed": "aria-pressed",
    "hidden": "aria-hidden",
    "live": "aria-live",
    "title": "title",
    "type": "type",
    "disabled": "disabled",
    "open": "open",
    "key": "data-fold",
    "entries": "data-entries",
    "letters": "data-letters",
    "form": "data-form",
    "tab": "tabindex",
    "scope": "scope",
    "field": "data-field",
    "value": "value",
    "checked": "checked",
    "selected": "selected",
    "rows": "rows",
    "least": "min",
    "most": "max",
}
"""The attributes there are: none of them loads, links, styles or runs anything."""
ELEMENTS = frozenset(
    [
        "article",
        "bdi",
        "button",
        "caption",
        "code",
        "dd",
        "del",
        "details",
        "div",
        "dl",
        "dt",
        "em",
        "fieldset",
        "footer",
        "h2",
        "h3",
        "header",
        "input",
        "ins",
        "label",
        "legend",
        "li",
        "mark",
        "ol",
        "option",
        "p",
        "pre",
        "progress",
        "section",
        "select",
        "small",
        "span",
        "strong",
        "summary",
        "table",
        "tbody",
        "td",
        "textarea",
        "th",
        "thead",
        "time",
        "tr",
        "ul",
    ]
)


@dataclass(frozen=True, slots=True)
class Html:
    """Safe markup. Made by `element` and `joined` only."""

    markup: str

    def __bool__(self) -> bool:
        return bool(self.markup)


Child = str | Html | None
"""A plain text is escaped; null is left out."""


def element(name: str, *children: Child, **attributes: str | bool | None) -> Html:
    """The element `name` around `children`.

    Args:
        name: one of `ELEMENTS`.
        children: what it holds, in order.
        attributes: by the names of `ATTRIBUTES`; null and False leave one out, True gives it no
            value.

    Raises:
        ValueError: for an element or attribute that is not on the list.
    """
    if name not in ELEMENTS:
        raise ValueError(f"element must be one of {sorted(ELEMENTS)}, got {name!r}")
    opening = "".join(_attribute(key, value) for key, value in attributes.items())
    return Html(f"<{name}{opening}>{joined(*children).markup}</{name}>")


def joined(*children: Child) -> Html:
    """`children` one after the other."""
    return Html("".join(_safe(child) for child in children if child is not None))


def said(text: str, name: str = "div", cls: str = "said") -> Html:
    """A text that somebody wrote, in its own direction, line ends kept by the style sheet."""
    return element(name, text, cls=cls, dir="auto")


def name_of(text: str) -> Html:
    """A name inside a line, so that its direction does not turn the line around."""
    return element("bdi", text)


def button(caption: Child, on: str, id: str = "", **attributes: str | bool | None) -> Html:
    """A button that tells the page `on` with `id`."""
    return element("button", caption, type="button", on=on, id=id, **attributes)


def fold(summary: Child, *children: Child, cls: str = "fold", key: str | None = None) -> Html:
    """Something to be opened with a click.

    With a `key` the page keeps it as it was left when the view around it is made again.
    """
    return element("details", element("summary", summary), *children, cls=cls, key=key)


def _safe(child: str | Html) -> str:
    return child.markup if isinstance(child, Html) else escape(child, quote=True)


def _attribute(key: str, value: str | bool | None) -> str:
    if key not in ATTRIBUTES:
        raise ValueError(f"attribute must be one of {sorted(ATTRIBUTES)}, got {key!r}")
    if value is None or value is False:
        return ""
    return f" {ATTRIBUTES[key]}" if value is True else f' {ATTRIBUTES[key]}="{escape(value)}"'
