"""Characters: the list of them, and one as it is; a card's own words are shown, never sent."""

from collections.abc import Sequence

from personas.cards import Card, lorebook_items
from personas.persona import Persona
from sandbox.ui.markup import Child, Html, button, element, fold, joined, name_of, said

MOST = 200
"""Own characters, and entries of a lorebook, on the screen."""
KINDS: dict[str, str] = {
    "yaml": "YAML",
    "json V2": "card V2 (JSON)",
    "json V3": "card V3 (JSON)",
    "json": "card as it is now (JSON)",
    "png": "card as it is now (PNG)",
    "original": "card as it was imported",
}
"""What the kinds of file are called."""
NEVER_SENT = {
    "creator": "Creator",
    "character_version": "Version",
    "creator_notes": "Creator's notes",
    "system_prompt": "System prompt",
    "post_history_instructions": "Instructions after the history",
}


def holds(persona: Persona, search: str) -> bool:
    """Whether all words of a search are in what the list and the sheet tell of a character."""
    told = (persona.id, persona.name, persona.language, *persona.summary, *persona.traits)
    text = "\n".join(told).casefold()
    return all(word in text for word in search.casefold().split())


def removal(persona: Persona, sessions: int) -> Html:
    """What deleting a character means, before it is done."""
    kept = "No session was opened with it."
    if sessions:
        one = sessions == 1
        kept = (
            f"{'1 session' if one else f'{sessions} sessions'} and what it holds for people stay: "
            f"{'it keeps' if one else 'they keep'} the character as it was."
        )
    card = "The character itself, and the file that it was imported from, cannot be brought back."
    name = element("strong", name_of(persona.name))
    return element("p", "Delete ", name, f"? {kept} {card}", cls="warning")


def character_list(
    packaged: Sequence[Persona], own: Sequence[Persona], current: str, search: str = ""
) -> Html:
    """The account's own characters that a search finds, then packaged ones, the chosen marked."""
    if search.strip():
        return _found([one for one in (*own, *packaged) if holds(one, search)], current)
    mine = [_row(persona, current) for persona in own[:MOST]]
    more = len(own) - len(mine)
    nothing = element(
        "p",
        "None yet: make a new one, edit a packaged one (that makes a copy), import a file, or open "
        "an instance, whose character is kept here.",
        cls="empty",
    )
    return joined(
        element("h3", "Your own ", element("span", str(len(own)), cls="count")),
        element("ul", *mine, cls="shelf") if mine else nothing,
        element("p", f"… and {more} more.", cls="empty") if more > 0 else None,
        element("h3", "Packaged ", element("span", str(len(packaged)), cls="count")),
        element("ul", *(_row(persona, current) for persona in packaged), cls="shelf"),
    )


def _found(found: Sequence[Persona], current: str) -> Html:
    if not found:
        return element("p", "No character holds all of these words: search for fewer.", cls="empty")
    more = len(found) - MOST
    return joined(
        element("h3", "Found ", element("span", str(len(found)), cls="count")),
        element("ul", *(_row(persona, current) for persona in found[:MOST]), cls="shelf"),
        element("p", f"… and {more} more.", cls="empty") if more > 0 else None,
    )


def importable() -> Html:
    """What can be imported."""
    return fold(
        "What can I import?",
        element("p", "A file of at most 10 MB that holds one character:"),
        element(
            "ul",
            element("li", "YAML, as it is exported here"),
            element("li", "a character card V1, V2 or V3, as JSON or inside a PNG"),
        ),
        element(
            "p",
            "A card is kept as it was, unknown fields and picture included, and nothing that it "
            "names is fetched. An import overwrites nobody.",
            cls="hint",
        ),
        cls="fold importable",
    )


def sheet(persona: Persona | None, card: Card | None, *, packaged: bool) -> Html:
    """One character; without one, what to do."""
    if persona is None:
        return element("p", "Choose a character from the list.", cls="empty")
    where = "packaged: editing makes a copy of your own" if packaged else "your own"
    return element(
        "article",
        element("h2", persona.name, dir="auto"),
        element("p", element("code", persona.id), f" · {persona.language} · {where}", cls="hint"),
        _warnings(card),
        *(said(text, "p") for text in persona.summary),
        element("dl", *_topics(persona), cls="facts-list"),
        _talk("Scenario", persona.scenario),
        _talk("Greeting", persona.greeting),
        _examples(persona),
        _sample(persona),
        _lorebook(card),
        _from_card(card),
        cls="sheet",
    )


def form_title(persona: Persona | None, *, packaged: bool) -> Html:
    """What the form will make."""
    if persona is None:
        return element("h2", "A new character")
    how = "A copy of your own, of " if packaged else "Editing "
    return element("h2", how, name_of(persona.name))


def brought_words(name: str, known: bool, warnings: int) -> str:
    """What an import of a character did."""
    did = "is here already" if known else "was imported"
    odd = f" {warnings} {'warning' if warnings == 1 else 'warnings'} below." if warnings else ""
    return f"{name} {did}.{odd}"


def _row(persona: Persona, current: str) -> Html:
    here = persona.id == current
    caption = joined(
        element("strong", persona.name, dir="auto"), element("small", persona.id, dir="ltr")
    )
    line = button(
        caption,
        "select",
        persona.id,
        cls=f"collection{' here' if here else ''}",
        current="true" if here else None,
    )
    return element("li", line)


def _topics(persona: Persona) -> list[Html]:
    topics: dict[str, tuple[str, ...]] = {
        "Traits": persona.traits,
        "Style": persona.style,
        "Domains": persona.domains,
        "Values": persona.values,
        "Rules": persona.rules,
        "Openers": persona.openers,
    }
    return [
        joined(element("dt", name), element("dd", *(said(line, "p") for line in told)))
        for name, told in topics.items()
        if told
    ]


def _talk(title: str, text: str | None) -> Html | None:
    return _section(title, said(text, "p")) if text else None


def _examples(persona: Persona) -> Html | None:
    told = [said(text, "li") for text in persona.examples]
    caption = f"Examples of talk ({len(told)})"
    return fold(caption, element("ul", *told), key="examples") if told else None


def _sample(persona: Persona) -> Html | None:
    sample = persona.sample_user
    if sample is None:
        return None
    return _section(
        "Sample user",
        element("p", element("strong", name_of(sample.name)), " "),
        said(sample.profile, "p"),
    )


def _warnings(card: Card | None) -> Html | None:
    if card is None or not card.warnings:
        return None
    rows = [said(warning, "li") for warning in card.warnings]
    return element("div", element("p", "About the card:"), element("ul", *rows), cls="warning")


def _lorebook(card: Card | None) -> Html | None:
    """The entries of the card's lorebook, with what recalls them elsewhere."""
    items = lorebook_items(card) if card else []
    if not items:
        return None
    rows = [
        element(
            "li",
            element("strong", name_of(item.name)) if item.name else None,
            " ",
            said(item.text, "span"),
            " ",
            element("small", ", ".join(item.keys), dir="auto") if item.keys else None,
            element("small", " · switched off") if not item.enabled else None,
        )
        for item in items[:MOST]
    ]
    more = len(items) - len(rows)
    return fold(
        f"Lorebook ({len(items)})",
        element("ul", *rows),
        element("p", f"… and {more} more.", cls="empty") if more else None,
        cls="fold lorebook",
        key="lorebook",
    )


def _from_card(card: Card | None) -> Html | None:
    if card is None:
        return None
    told = {title: card.text(field) for field, title in NEVER_SENT.items()}
    rows = [
        joined(element("dt", title), element("dd", said(text, "p")))
        for title, text in told.items()
        if text.strip()
    ]
    caption = f"From the card {card.spec}: kept and exported, never sent to a model"
    nothing = element("p", "Nothing that is only for people.", cls="empty")
    return fold(caption, element("dl", *rows, cls="facts-list") if rows else nothing, key="card")


def _section(title: str, *children: Child) -> Html:
    return element("section", element("h3", title), *children)
