"""How an entry is shown, wherever it is: type by letter and word, side, date, feeling."""

from memory_banks.entries import Author, Entry, EntryType, Side
from memory_banks.forgetting import FORGOTTEN
from sandbox.ui.markup import Html, element, joined, name_of, said

TYPES: dict[EntryType, tuple[str, str]] = {
    "user_profile": ("P", "profile"),
    "fact": ("F", "fact"),
    "agent_identity": ("I", "identity"),
    "agent_method": ("M", "method"),
    "agent_knowledge": ("K", "knowledge"),
    "episodic": ("E", "episodic"),
}
"""The letter and the short word of every type."""
MEANINGS: dict[EntryType, str] = {
    "user_profile": "Who the user is and what they like",
    "fact": "What is so in the user's world",
    "agent_identity": "Who this character is for this user; a standing rule",
    "agent_method": "How this character goes about things for this user",
    "agent_knowledge": "What this character has worked out for this user",
    "episodic": "Something that happened or was told, with its time",
}


def type_badge(entry_type: EntryType) -> Html:
    """The type as a letter and a word."""
    letter, word = TYPES[entry_type]
    return element(
        "span",
        element("strong", letter, hidden="true"),
        f" {word}",
        cls=f"type type-{letter.lower()}",
        title=MEANINGS[entry_type],
    )


def side_words(side: Side, persona: str) -> Html:
    """Whose an entry is, for people."""
    if side == "user":
        return element("span", "user", cls="side", title="Every character of this user sees it")
    return element(
        "span", "only ", name_of(persona), cls="side", title="No other character sees it"
    )


def circumstances(entry: Entry) -> Html:
    """Date, emotion and scene of an entry, where it has them."""
    told = [
        element("time", entry.anchor) if entry.anchor else None,
        element("span", entry.emotion, cls="mood", dir="auto") if entry.emotion else None,
        element("span", entry.scene, cls="mood") if entry.scene else None,
    ]
    return joined(*told)


AUTHORS: dict[Author, str] = {
    "character": "by the character",
    "capture": "captured",
    "human": "by hand",
    "import": "imported",
}


def entry_head(entry: Entry, persona: str, *more: Html | None) -> Html:
    """The line above an entry's text."""
    return element(
        "div",
        type_badge(entry.type),
        side_words(entry.scope.side, persona),
        circumstances(entry),
        *more,
        cls="entry-head",
    )


def entry_text(entry: Entry) -> Html:
    """What an entry says."""
    if entry.text == FORGOTTEN:
        return element("p", "forgotten for good", cls="entry-text forgotten")
    return said(entry.text, "p", "entry-text")
