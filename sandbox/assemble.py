"""Settings to a running sandbox: every part made once, in order, and closed again."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from graphs.chat_model import ChatModel
from memory_banks.bank import Bank
from memory_banks.embedding import Embedder, load_sentence_transformer
from memory_banks.entries import Dyad, Entry
from memory_banks.index import Index
from memory_banks.ledger import head
from memory_banks.ledger_bank import LedgerBank
from personas.library import Library, packaged_library
from sandbox.account import ACCOUNT
from sandbox.authoring.workshop import Workshop, open_workshop
from sandbox.banks import Banks
from sandbox.characters import Characters
from sandbox.checkpoints import open_checkpoints
from sandbox.clock import system_clock
from sandbox.conversation import Conversation
from sandbox.editing import Editing
from sandbox.embedder import EmbedderLoader
from sandbox.evaluation.evaluating import Evaluating
from sandbox.evaluation.intimacy import Intimacy
from sandbox.evaluation.judges import Judges
from sandbox.evaluation.switchboard import Switchboard
from sandbox.folder import Layout
from sandbox.judges.registry import AspectJudge, load_local
from sandbox.lifecycle.branches import Branches
from sandbox.lifecycle.capture_steps import CaptureSteps
from sandbox.lifecycle.forgetting import Forgetting
from sandbox.lifecycle.lens import Lenses
from sandbox.lifecycle.linting import Linting
from sandbox.lifecycle.reingest_jobs import ReingestJobs
from sandbox.lifecycle.reingesting import Reingesting
from sandbox.lifecycle.remembering import Remembering
from sandbox.models import Models
from sandbox.opening import Instances
from sandbox.previews import Previews
from sandbox.record import Record, RecordError, Watch, sqlite_url, unwatched
from sandbox.replay.episode_matching import own_matching
from sandbox.replay.episodes import EpisodeReplays
from sandbox.replay.giving import Giving
from sandbox.replay.playing import Playing
from sandbox.replay.replays import Replays
from sandbox.replay.revealing import Revealing
from sandbox.replay.user import UserWriter
from sandbox.replying import Replier
from sandbox.sessions import Sessions
from sandbox.settings import Settings


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The running parts. Everything a page, the API or a command does goes through them."""

    settings: Settings
    record: Record
    library: Library
    characters: Characters
    models: Models
    embedder: EmbedderLoader
    index: Index
    sessions: Sessions
    conversation: Conversation
    remembering: Remembering
    banks: Banks
    previews: Previews
    editing: Editing
    instances: Instances
    judges: Judges
    evaluating: Evaluating
    switchboard: Switchboard
    intimacy: Intimacy
    branches: Branches
    reingesting: Reingesting
    reingest_jobs: ReingestJobs
    forgetting: Forgetting
    linting: Linting
    lenses: Lenses
    workshop: Workshop
    replays: Replays
    revealing: Revealing
    playing: Playing
    episode_replays: EpisodeReplays
    user_writer: UserWriter

    def start(self) -> None:
        """Load the models and the index in the background; returns at once."""
        self.embedder.start(then=self.index.start)
        self.models.start()

    def close(self) -> None:
        """Save what is being written and stop everything that runs behind."""
        self.playing.close()
        self.conversation.close()
        self.reingest_jobs.close()
        self.workshop.check_jobs.close()
        self.index.close()
        self.models.close()
        self.record.close()


def assemble(
    settings: Settings,
    layout: Layout,
    environment: Mapping[str, str],
    *,
    clock: Callable[[], datetime] = system_clock,
    load_embedder: Callable[[], Embedder] | None = None,
    load_judge: Callable[[], AspectJudge] | None = None,
    models: Models | None = None,
    watch: Watch = unwatched,
) -> Sandbox:
    """A sandbox on the data folder, its schema up to date and its sample banks in place.

    Nothing is loaded yet: see `Sandbox.start`. `environment` is where the models file's keys are
    looked up. The last five arguments are for tests.

    Raises:
        RecordError: if the database cannot be used.
        ModelsError: if the models file cannot be read.
    """
    url = settings.database_url
    record = Record(url.get_secret_value() if url else sqlite_url(layout.record), watch)
    record.migrate()
    library = Library(packaged_library())
    characters = Characters(record, library, clock)
    chat_models = models or Models.from_settings(settings, environment)
    embedder = EmbedderLoader(
        load_embedder or partial(load_sentence_transformer, settings.embedder)
    )
    index = Index(
        layout.index, record.read, lambda: record.write("derived"), trouble=(RecordError,)
    )

    def open_bank(dyad: Dyad, revision: int, history: bool = False) -> Bank:
        return LedgerBank(dyad, revision, index, embedder.get, record.read, history=history)

    def nearest(dyad: Dyad, text: str, n: int) -> list[Entry]:
        with record.read() as conn:
            revision = head(conn, dyad.account, dyad.user)
        return [found.entry for found in open_bank(dyad, revision).recall(text, n).candidates]

    def erase() -> None:
        index.erase()
        instances.reread()
        layout.empty_uploads()

    def get_model(name: str | None) -> ChatModel:
        return chat_models.get(name)

    instances = Instances(record, characters, clock, _new_id, index.changed)
    giving = Giving(record, instances)
    replier = Replier(record, open_bank, get_model, clock, _new_seed, giving)
    conversation = Conversation(record, replier, clock, _new_id)
    banks = Banks(record, characters, clock, index.changed)
    previews = Previews(record, open_bank)
    steps = CaptureSteps(record, clock, index.changed, nearest)
    checkpoints = open_checkpoints(layout.checkpoints)
    remembering = Remembering(record, get_model, clock, steps, conversation.quiet, checkpoints)
    judges = Judges(instances, chat_models, load_judge or load_local)
    evaluating = Evaluating(record, instances, judges.get, clock, _new_id)
    sessions = Sessions(record, characters, clock, _new_id)
    branches = Branches(record, clock, _new_id, index.changed)
    reingesting = Reingesting(record, branches, remembering)
    replays = Replays(record, instances, conversation, replier, giving, clock, _new_id)
    sandbox = Sandbox(
        settings=settings,
        record=record,
        library=library,
        characters=characters,
        models=chat_models,
        embedder=embedder,
        index=index,
        sessions=sessions,
        conversation=conversation,
        remembering=remembering,
        banks=banks,
        previews=previews,
        lenses=Lenses(record, banks, characters, previews),
        editing=Editing(record, clock, index.changed),
        instances=instances,
        judges=judges,
        evaluating=evaluating,
        intimacy=Intimacy(
            record,
            replier,
            evaluating,
            instances,
            judges.get,
            get_model,
            clock,
            _new_id,
            _new_seed,
        ),
        branches=branches,
        reingesting=reingesting,
        reingest_jobs=ReingestJobs(reingesting),
        forgetting=Forgetting(record, clock, _new_id, erase),
        linting=Linting(record, banks, characters),
        replays=replays,
        revealing=Revealing(),
        user_writer=UserWriter(record, conversation, get_model, _new_seed),
        episode_replays=EpisodeReplays(
            record,
            instances,
            characters,
            conversation,
            remembering,
            lambda: own_matching(embedder.get()),
            get_model,
            clock,
            _new_id,
        ),
        playing=Playing(replays, conversation, evaluating),
        workshop=open_workshop(
            record,
            instances,
            evaluating,
            sessions,
            clock,
            _new_id,
            embedder.ready,
            get_model,
            judges.local,
        ),
        switchboard=Switchboard(record, replier, evaluating, judges.get, clock, _new_id),
    )
    banks.seed(ACCOUNT)
    remembering.recover(ACCOUNT)
    sandbox.forgetting.finish()
    return sandbox


def _new_id() -> str:
    return secrets.token_hex(6)


def _new_seed() -> int:
    return secrets.randbelow(2**31)
