"""A collection as a page: where it is from, its figures, licenses, versions, what changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sandbox.authoring.disputes import Dispute
from sandbox.authoring.exporting import Exported, Making, licences_of
from sandbox.authoring.publishing import Shelved
from sandbox.authoring.rechecking import Change
from sandbox.authoring.sizes import Size, sizes
from sandbox.collected import Collection
from sandbox.ui.dispute_views import dispute_list
from sandbox.ui.markup import Html, button, element, fold, joined, name_of, said
from sandbox.ui.times import short_time

MOST_WORDS = 200
"""Lines of what is lost that are shown."""
NOT_CHOSEN = "Choose a format: what it cannot say is told here before you download it."
_HEADS = ("Scenario", "Instances", "Pool", "must / nice / irr", "Words an entry", "Words a query")


@dataclass(frozen=True, slots=True)
class Page:
    """What is known of the collection that is shown."""

    name: str
    origin: str
    """Where it is from, in words."""
    collection: Collection
    made: str = ""
    """The name of the collection that is made here and shown as it is now; empty for a file."""
    making: Making = field(default_factory=Making)
    versions: Sequence[Shelved] = ()
    blanked_at: str | None = None
    disputes: Sequence[Dispute] = ()
    changes: Mapping[str, Sequence[Change]] = field(default_factory=dict)
    """What changed since, by instance."""


def collection_page(page: Page, *, gold: bool) -> Html:
    """The page; what tells roles only with `gold`."""
    return element(
        "article",
        element("h2", name_of(page.name)),
        element("p", page.origin, cls="hint"),
        _blanked(page.blanked_at),
        _licences(page.collection),
        _figures(sizes(page.collection.instances), len(page.collection.episodes)),
        _making(page) if page.made else None,
        _versions(page.versions) if page.versions else None,
        _changes(page.changes, gold=gold),
        None if page.made else dispute_list(page.disputes, gold=gold),
        cls="preview",
    )


def export_told(made: Exported | None, wrong: str = "") -> Html:
    """What an export would be: its files, what they do not say, licenses; or why there is none."""
    if wrong:
        return said(wrong, "p", "warning")
    if made is None:
        return element("p", NOT_CHOSEN, cls="hint")
    lost = [element("li", one) for one in made.lost[:MOST_WORDS]]
    missing = element("p", "The files say all of it.", cls="fine")
    if lost:
        title = element("strong", f"What the format {made.kind} does not say")
        missing = element("div", title, element("ul", *lost), cls="not-said")
    apart = element("p", "One folder for each language: import each by itself.", cls="hint")
    return joined(
        missing,
        element("p", f"Files: {', '.join(made.files)}, and {made.about_name}.", cls="hint"),
        apart if len(made.parts) > 1 else None,
        said(made.licences, "p", _warns(made.licences)) if made.licences else None,
    )


def _warns(licences: str) -> str:
    return "warning" if "not be used commercially" in licences else "hint"


def _licences(collection: Collection) -> Html | None:
    told = licences_of(collection)
    return said(told, "p", _warns(told)) if told else None


def _blanked(at: str | None) -> Html | None:
    if at is None:
        return None
    words = "Something in it was forgotten since it was published, and is blanked here: "
    return element("p", f"{words}{short_time(at)}.", cls="warning")


def _figures(told: Sequence[Size], episodes: int) -> Html:
    head = element("tr", *(element("th", name, scope="col") for name in _HEADS))
    rows = [_size(one) for one in told if one.scenario or len(told) != 2]
    table = element("table", element("thead", head), element("tbody", *rows), cls="sizes")
    also = element("p", f"{episodes} episodes, whose questions are among them.", cls="hint")
    return joined(
        element("h3", "Figures"),
        element("div", table, cls="table-scroll"),
        also if episodes else None,
    )


def _size(one: Size) -> Html:
    name = "without must and nice" if one.scenario == "none" else one.scenario or "all"
    span = f" ({one.least}-{one.most})" if one.pool is not None else ""
    cells = (
        str(one.instances),
        f"{_shown(one.pool)}{span}",
        " / ".join(f"{mean:.2f}" for _role, mean in one.roles) or "-",
        _shown(one.words),
        _shown(one.asked),
    )
    return element("tr", element("th", name, scope="row"), *(element("td", c) for c in cells))


def _shown(mean: float | None) -> str:
    return "-" if mean is None else f"{mean:.2f}"


def _making(page: Page) -> Html:
    stages = ", ".join(f"{count} {stage}" for stage, count in page.making.stages)
    left = [element("li", said(one, "span")) for one in page.making.left_out]
    return element(
        "section",
        element("h3", "Made here"),
        element("p", f"Ready to be published: {stages or 'nothing yet'}."),
        fold(f"Left out ({len(left)})", element("ul", *left), key="left out") if left else None,
        element(
            "p",
            button("Publish the next version", "apply", page.made, cls="small approve"),
            cls="form-line",
        ),
        element("p", "The same content is the same version: nothing is lost by pressing it twice."),
    )


def _versions(versions: Sequence[Shelved]) -> Html:
    rows = [
        element(
            "li",
            button(
                f"v{one.number}", "expand", one.sha256, cls="small", label=f"Look at v{one.number}"
            ),
            f" {short_time(one.created_at)} · ",
            element("code", one.sha256[:12]),
            element("span", "blanked", cls="doubt-mark") if one.blanked_at else None,
        )
        for one in reversed(versions)
    ]
    return element("section", element("h3", f"Versions ({len(rows)})"), element("ul", *rows))


def _changes(changes: Mapping[str, Sequence[Change]], *, gold: bool) -> Html | None:
    """What is not as it was, by instance; roles only with gold."""
    rows = []
    for name, found in changes.items():
        told = [one for one in found if gold or one.what != "role"]
        lines = [element("li", said(one.sentence, "span")) for one in told]
        if lines:
            rows.append(
                element("li", button(name, "select", name, cls="link"), element("ul", *lines))
            )
    if not rows:
        return None
    title = element("h3", f"Changed since ({len(rows)})")
    return element("section", title, element("ul", *rows, cls="doubts"))
