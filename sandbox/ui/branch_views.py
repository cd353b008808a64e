"""Branches: where one is, the list of them, and one beside what it was made of."""

from collections.abc import Mapping

from memory_banks.entries import Entry, Operation
from sandbox.sessions import SessionSummary
from sandbox.ui.bank_diff import branched, difference_list
from sandbox.ui.branch_counts import alike_words, count_table
from sandbox.ui.branch_look import Compared, Leaf, Tree
from sandbox.ui.entry_views import entry_text, side_words, type_badge
from sandbox.ui.markup import Html, button, element, fold, joined, name_of, said
from sandbox.ui.method_parts import method_mark
from sandbox.ui.times import short_time

FORK = (
    "Go another way from here: the talk up to this turn and the memory it saw, copied into a "
    "branch. Nothing on this side changes."
)
HINT = (
    "A branch is another way this could have gone: a copy of the talk and of the memory, from a "
    "turn on. Press fork here below a reply, or branch off at a revision in the bank."
)
MOST = 6
"""Branches that the left panel names; the newest where there are more."""


def branch_line(tree: Tree) -> Html:
    """Which branch the screen is in and where that came from; on main, the ways into branches."""
    if tree.here is not None:
        return _in_branch(tree, _leaf(tree))
    present = tree.present
    if not present:
        return Html("")
    count = f"{len(present)} {'branch' if len(present) == 1 else 'branches'}"
    links = [_into(leaf) for leaf in present[-MOST:] if leaf.sessions]
    return element(
        "div",
        element("p", element("strong", "main"), f" · {count}", cls="branch-words"),
        element("ul", *(element("li", link) for link in links), cls="branch-links"),
        cls="branch-line",
    )


def _leaf(tree: Tree) -> Leaf:
    assert tree.here is not None
    return next(leaf for leaf in tree.leaves if leaf.branch.id == tree.here.id)


def _in_branch(tree: Tree, leaf: Leaf) -> Html:
    branch = leaf.branch
    gone = " (deleted: restore it under Branches)" if branch.deleted_at else ""
    back = button("back to main", "select", tree.main, cls="link") if tree.main else None
    return element(
        "div",
        element("p", "in branch ", element("strong", name_of(branch.name)), gone),
        element("p", *_came_from(tree, leaf), cls="why"),
        element("p", back) if back else None,
        cls="branch-line here",
        role="status",
    )


def _came_from(tree: Tree, leaf: Leaf) -> list[str | Html | None]:
    """What the branch was made of: a session and a turn, or a revision."""
    branch, origin = leaf.branch, name_of(tree.origin(leaf.branch))
    if branch.session is None:
        return ["made of ", origin, f" at revision {branch.revision}"]
    source = tree.sources.get(branch.session)
    if source is None:
        return ["forked from a session of ", origin, " that was forgotten"]
    told = short_time(source.clock or source.created_at)
    where = f" after turn {branch.turn}" if branch.turn else " before its first turn"
    link = button(f"session {told}", "select", source.id, cls="link")
    return ["forked from ", link, where, " of ", origin, f" · revision {branch.revision}"]


def _into(leaf: Leaf) -> Html:
    first = leaf.branch.copy or ""
    known = [one.session.id for one in leaf.sessions]
    opened = first if first in known else known[0]
    return button(joined("↳ ", name_of(leaf.branch.name)), "select", opened, cls="link")


def branch_list(tree: Tree, agent: str) -> Html:
    """Every branch with what can be done with it; deleted ones can be restored.

    `agent` is the character whom a comparison begins with.
    """
    hint = element("p", HINT, cls="hint")
    if not tree.leaves:
        return hint
    rows = [_branch(tree, leaf, agent) for leaf in tree.present]
    gone = [_deleted(leaf) for leaf in tree.leaves if leaf.branch.deleted_at]
    deleted = None
    if gone:
        deleted = fold(
            f"Deleted: {len(gone)}", element("ul", *gone, cls="entries"), key="gone branches"
        )
    none = element("p", "No branch: the deleted ones are below.", cls="empty")
    return joined(hint, element("ul", *rows, cls="entries branches") if rows else none, deleted)


def _branch(tree: Tree, leaf: Leaf, agent: str) -> Html:
    branch = leaf.branch
    here = tree.here is not None and tree.here.id == branch.id
    sessions = [_session(one, here) for one in leaf.sessions]
    body = element(
        "div",
        element(
            "div",
            element("strong", name_of(branch.name), cls="branch-name"),
            element("span", "you are here", cls="count") if here else None,
            cls="entry-head",
        ),
        element("p", *_came_from(tree, leaf), cls="why"),
        element("div", *sessions, cls="branch-sessions"),
        _with_another(tree, branch.id),
        element(
            "div",
            button("compare, merge", "expand", f"{branch.id} {agent}", cls="quiet"),
            button("delete", "delete", branch.id, cls="quiet"),
            cls="row-actions",
        ),
        _rename(branch.id, branch.name),
        cls="entry",
        form=f"branch {branch.id}",
    )
    return element("li", body, id=branch.id, cls=f"depth-{min(leaf.depth, 3)}")


def _session(summary: SessionSummary, here: bool) -> Html:
    session = summary.session
    turns = f"{summary.turns} {'turn' if summary.turns == 1 else 'turns'}"
    told = short_time(session.clock or session.created_at), turns, method_mark(session)
    caption = joined(
        name_of(session.persona.name),
        element("small", " · ".join(part for part in told if part)),
    )
    return button(caption, "select", session.id, cls="session")


def _with_another(tree: Tree, branch: str) -> Html:
    options = [element("option", name, value=agent) for name, agent in tree.cast]
    return element(
        "p",
        element("select", *options, field="persona", label="Character to open in the branch"),
        button("open with this character", "apply", branch, cls="small"),
        cls="form-line",
    )


def _rename(branch: str, name: str) -> Html:
    return fold(
        "rename",
        element(
            "p",
            element("input", type="text", field="name", value=name, label="The branch's name"),
            button("Save", "edit", branch, cls="small"),
            cls="form-line",
        ),
        cls="origin",
        key=f"rename {branch}",
    )


def _deleted(leaf: Leaf) -> Html:
    restore = button("restore", "undo", leaf.branch.id, cls="small")
    row = element("div", name_of(leaf.branch.name), " ", restore, form=f"gone {leaf.branch.id}")
    return element("li", row, cls="gone")


def comparison(look: Compared) -> Html:
    """A branch beside its origin: the differences, and its own operations to merge."""
    name = f"branch “{look.branch.name}”"
    others = [
        button(name_of(one), "expand", f"{look.branch.id} {agent}", cls="small")
        for one, agent in look.agents
        if agent != look.agent
    ]
    more = element("p", "Also held by ", *others, cls="form-line") if others else None
    return element(
        "div",
        element(
            "div",
            element("h3", name_of(name), " beside ", name_of(look.origin)),
            button("close", "clear", cls="quiet"),
            cls="outcome-title",
        ),
        element("p", "What ", element("strong", name_of(look.persona)), " holds."),
        more,
        count_table(look.counts, look.origin, "the branch", look.persona),
        alike_words(look.alike),
        difference_list(
            look.found,
            look.before,
            look.after,
            branched(look.origin, "the branch"),
            look.persona,
        ),
        _merge(look),
        cls="comparison",
        form=f"merge {look.branch.id} {look.agent}",
    )


def _merge(look: Compared) -> Html:
    title = element("h3", "Merge into ", name_of(look.origin))
    if not look.own:
        words = "The branch has done nothing of its own yet: there is nothing to merge."
        return element("section", title, element("p", words, cls="empty"))
    waiting = [one for one in look.own if one.id not in look.merged]
    held = look.entries
    rows = [_operation(one, held, look) for one in look.own]
    hint = "Ticked operations are done again there, in this order: all of them, or none."
    act = button("Merge what is ticked", "submit", f"{look.branch.id} {look.agent}", cls="small")
    done = element("p", "Everything is merged already.", cls="empty")
    return element(
        "section",
        title,
        element("p", hint, cls="hint") if waiting else done,
        element("ul", *rows, cls="entries"),
        element("p", act, cls="form-line") if waiting else None,
        cls="merge",
    )


def _operation(one: Operation, held: Mapping[str, Entry], look: Compared) -> Html:
    entry = held.get(one.entry_id)
    done = one.id in look.merged
    mark = "+ add" if one.kind == "add" else "− delete"
    box = element(
        "input",
        type="checkbox",
        field="chosen",
        value=one.id,
        id="many",
        checked=not done,
        disabled=done,
    )
    replaces = f"in place of {len(one.replaces)}" if one.replaces else ""
    facts = [f"r{one.number}", replaces, "merged" if done else ""]
    return element(
        "li",
        element(
            "label",
            box,
            element(
                "div",
                element(
                    "div",
                    element("strong", mark, cls=f"kind {one.kind}"),
                    type_badge(entry.type) if entry else None,
                    side_words(entry.scope.side, look.persona) if entry else None,
                    element("span", " · ".join(part for part in facts if part)),
                    cls="entry-head",
                ),
                entry_text(entry) if entry else None,
                said(one.reason, "p", "why") if one.reason else None,
                cls="entry",
            ),
            cls="tick operation",
        ),
    )


def merged_words(count: int, origin: str) -> str:
    """What a merge did, as a sentence."""
    if not count:
        return f"Nothing new: {origin} has done all of it already."
    return f"{count} {'operation' if count == 1 else 'operations'} merged into {origin}."
