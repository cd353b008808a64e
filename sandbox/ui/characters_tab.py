"""What the tab with the characters does: make, edit, import, take away, talk."""

import base64
import json
from pathlib import Path
from typing import Any

import gradio as gr

from personas.cards import lorebook_items
from personas.persona import Persona
from sandbox.assemble import Sandbox
from sandbox.character_files import CharacterFiles, LoreBrought
from sandbox.character_forms import FIELDS, form_of, packaged, save_form
from sandbox.inputs import BadInput, checked_user
from sandbox.ui.characters_parts import COPY, EDIT, LORE, REMOVE, CharactersParts
from sandbox.ui.characters_views import (
    KINDS,
    brought_words,
    character_list,
    form_title,
    removal,
    sheet,
)
from sandbox.ui.events import Updates, on, script, then
from sandbox.ui.instances_tab import GO
from sandbox.ui.scripts import DOWNLOAD
from sandbox.ui.troubles import inform
from sandbox.ui.views import imported_words


class CharactersTab:
    """The tab's handlers for one account."""

    def __init__(self, sandbox: Sandbox, account: str, parts: CharactersParts) -> None:
        self._sandbox = sandbox
        self._characters = sandbox.characters
        self._files = CharacterFiles(sandbox.characters, sandbox.banks)
        self._account = account
        self._parts = parts

    def connect(self, page: gr.Blocks, tab: gr.Tab) -> None:
        """Wire everything; the tab is read again when it comes to the front."""
        parts = self._parts
        chosen, filled = [parts.persona], [*parts.fields.all(), parts.base, parts.title]
        self._show(on(page.load, self.begin, [], [*chosen, parts.user]))
        self._show(on(tab.select, self.nothing))
        self._show(on(parts.listed.select, self.choose, [], [*chosen, parts.user, *self._sides]))
        brought = on(parts.upload.upload, self.import_file, [parts.upload], [*chosen, *self._sides])
        self._show(brought)
        filled += self._sides
        on(parts.new.click, self.new, [], filled)
        on(parts.edit.click, self.edit, chosen, filled)
        on(parts.cancel.click, self.cancel, [], self._sides)
        on(parts.search.change, self.search, [*chosen, parts.search], [parts.listed], "always_last")
        on(parts.remove.click, self.ask, chosen, [parts.confirm, parts.question])
        on(parts.keep.click, self.keep, [], [parts.confirm])
        self._show(on(parts.delete.click, self.remove, chosen, [*chosen, *self._sides]))
        told = [parts.base, *parts.fields.all()]
        self._show(on(parts.save.click, self.save, told, [*chosen, *self._sides]))
        self._show(on(parts.lore.click, self.lore, [*chosen, parts.user]))
        self._show(on(parts.book.upload, self.book, [parts.book, *chosen, parts.user]))
        asked = [*chosen, parts.kind, parts.with_bank, parts.user]
        made = on(parts.download.click, self.export, asked, [parts.file])
        script(made, DOWNLOAD, [parts.file], [parts.file])
        script(
            on(parts.talk.click, self.talk, [*chosen, parts.user], [parts.opened]),
            GO,
            [parts.opened],
        )

    def begin(self) -> Updates:
        """The first character, with its sample user."""
        first = next(iter(self._characters.all(self._account)), None)
        sample = first.sample_user if first else None
        parts = self._parts
        return {parts.persona: first.id if first else "", parts.user: sample.name if sample else ""}

    def nothing(self) -> None:
        """Change nothing: the screen is shown again."""

    def choose(self, event: gr.EventData) -> Updates:
        """Another character, with its sample user; the form is closed."""
        sample = self._characters.get(self._account, event.id).sample_user
        user = {self._parts.user: sample.name} if sample else {}
        return self._open(False) | {self._parts.persona: event.id} | user

    def import_file(self, file: str) -> Updates:
        """Import a character and choose it."""
        path = Path(file)
        did = self._files.bring(self._account, path.read_bytes(), path.name)
        inform(brought_words(did.persona.name, did.known, len(did.warnings)))
        return self._open(False) | {self._parts.persona: did.persona.id}

    def new(self) -> Updates:
        """Open the form, blank."""
        return self._filled(None)

    def edit(self, persona: str) -> Updates:
        """Open the form with the chosen character."""
        return self._filled(self._characters.get(self._account, persona))

    def cancel(self) -> Updates:
        """Close the form; what was typed is gone."""
        return self._open(False)

    def save(self, base: str, *texts: str) -> Updates:
        """Keep what the form says, and choose it."""
        form = dict(zip(FIELDS, texts, strict=True))
        saved = save_form(self._characters, self._account, base, form)
        inform(f"{saved.name} is saved. Sessions that are open keep the character as it was.")
        return self._open(False) | {self._parts.persona: saved.id}

    def search(self, persona: str, text: str) -> str:
        """The list alone."""
        return self._listed(persona, text)

    def ask(self, persona: str) -> Updates:
        """Whether the chosen character is to be deleted."""
        known = self._characters.get(self._account, persona)
        count = self._characters.count_sessions(self._account, persona)
        question = removal(known, count).markup
        return {self._parts.confirm: gr.update(visible=True), self._parts.question: question}

    def keep(self) -> Updates:
        """It stays."""
        return {self._parts.confirm: gr.update(visible=False)}

    def remove(self, persona: str) -> Updates:
        """Delete the chosen character, and choose none."""
        name = self._characters.get(self._account, persona).name
        self._characters.remove(self._account, persona)
        inform(f"{name} is deleted. Its sessions stay.")
        return self._open(False) | {self._parts.persona: ""}

    def lore(self, persona: str, user: str) -> None:
        """Import the card's lorebook into the bank of this person and the character."""
        did = self._files.bring_lore(self._account, _person(user), persona)
        self._tell(did)

    def book(self, file: str, persona: str, user: str) -> None:
        """Import a lorebook file into that bank."""
        path = Path(file)
        who = self._account, _person(user), persona
        self._tell(self._files.bring_lorebook(*who, path.read_bytes(), path.name))

    def export(self, persona: str, kind: str, with_bank: bool, user: str) -> str:
        """The character as a file, for `DOWNLOAD`."""
        bank = _person(user) if with_bank else ""
        made = self._files.export(self._account, persona, kind, bank)
        data = base64.b64encode(made.data).decode("ascii")
        return json.dumps({"name": made.name, "mime": made.mime, "data": data})

    def talk(self, persona: str, user: str) -> str:
        """A new session of this person with the character."""
        sample = self._characters.get(self._account, persona).sample_user
        ours = sample is not None and checked_user(sample.name) == checked_user(_person(user))
        clock = sample.clock if sample and ours else None
        return self._sandbox.sessions.open(self._account, user, persona, clock=clock).id

    def screen(self, persona: str, text: str) -> Updates:
        """The list and the chosen character, as the record says."""
        parts, shipped = self._parts, self._characters.packaged()
        own = self._characters.own(self._account)
        shown = next((one for one in (*own, *shipped) if one.id == persona), None)
        card = self._files.card(self._account, persona) if shown else None
        ours = packaged(self._characters, persona)
        kinds = self._files.kinds(self._account, persona) if shown else ["yaml"]
        lore = bool(card and lorebook_items(card))
        return {
            parts.listed: character_list(shipped, own, persona, text).markup,
            parts.remove: gr.update(value=REMOVE, visible=shown is not None and not ours),
            parts.sheet: sheet(shown, card, packaged=ours).markup,
            parts.edit: gr.update(value=COPY if ours else EDIT, visible=shown is not None),
            parts.lore: gr.update(value=LORE, visible=lore),
            parts.kind: gr.update(choices=[(KINDS[kind], kind) for kind in kinds], value=kinds[0]),
            parts.user: gr.update(
                choices=[user.name for user in self._sandbox.banks.users(self._account)]
            ),
        }

    def _tell(self, did: LoreBrought) -> None:
        words = imported_words(did.imported.new, did.imported.known, len(did.imported.differing))
        inform(" ".join((words, *did.notes[:4])))

    def _listed(self, persona: str, text: str) -> str:
        own = self._characters.own(self._account)
        return character_list(self._characters.packaged(), own, persona, text).markup

    @property
    def _sides(self) -> list[Any]:
        return [self._parts.form, self._parts.detail, self._parts.confirm]

    def _show(self, before: Any) -> None:
        parts = self._parts
        buttons = [parts.edit, parts.remove, parts.lore]
        shown = [parts.listed, parts.sheet, *buttons, parts.kind, parts.user]
        then(before, self.screen, [parts.persona, parts.search], shown)

    def _open(self, form: bool) -> Updates:
        """The form instead of the character, or the other way round."""
        return {
            self._parts.form: gr.update(visible=form),
            self._parts.detail: gr.update(visible=not form),
            self._parts.confirm: gr.update(visible=False),
        }

    def _filled(self, persona: Persona | None) -> Updates:
        texts, parts = form_of(persona), self._parts
        told = dict(zip(parts.fields.all(), (texts[field] for field in FIELDS), strict=True))
        known = persona.id if persona else ""
        title = form_title(persona, packaged=packaged(self._characters, known))
        return self._open(True) | told | {parts.base: known, parts.title: title.markup}


def _person(user: str) -> str:
    """Who is meant by the field `For`, which must not be empty."""
    if not user or not user.strip():
        raise BadInput("Nobody is named: write whom it is for, the person you speak as.")
    return user
