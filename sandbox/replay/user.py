"""A model in the person's place: it writes what the person says next, and the character answers.

Such a turn says so on record (`Origin`), and no judge takes its words for a reply.
"""

from collections.abc import Callable

from graphs.chat_model import ChatModel, Sampling
from graphs.templates import fence, prompt_hash, render
from memory_banks.ledger import find_user
from sandbox.conversation import Conversation
from sandbox.inputs import BadInput
from sandbox.live import LiveReply
from sandbox.record import Record
from sandbox.replay.origin import Origin
from sandbox.sessions import must_be_open
from sandbox.transcripts import Transcript, transcript

PROMPT = "user_line"
_LATEST = 40
"""Utterances that the model reads."""
_LINE = Sampling(max_tokens=120)


class UserWriter:
    """Plays the person in the sessions of every account, which every method takes first."""

    def __init__(
        self,
        record: Record,
        conversation: Conversation,
        get_model: Callable[[str | None], ChatModel],
        new_seed: Callable[[], int],
    ) -> None:
        self._record = record
        self._conversation = conversation
        self._get_model = get_model
        self._new_seed = new_seed

    def speak(self, account: str, session_id: str, model: str | None = None) -> LiveReply:
        """Have a model say the person's next words, and the character answer them.

        `model` is the one that plays the person; null is the session's own.

        Raises:
            BadInput: in a replay, whose words are the file's, or if the model writes nothing.
            ModelError, ModelNotReady, UnknownModel: with a sentence for people.
            SessionBusy, SessionEnded, UnknownSession: if it cannot be spoken in.
        """
        with self._record.read() as conn:
            whole = transcript(conn, account, session_id)
            owner = find_user(conn, account, whole.session.user)
        must_be_open(whole.session)
        if whole.session.gear is not None:
            raise BadInput("This session replays a dialogue: take over before a model speaks.")
        writer, seed = self._get_model(model or whole.session.model), self._new_seed()
        asked = user_prompt(whole, owner.profile if owner else "")
        stream = writer.stream(
            [{"role": "user", "content": asked}],
            Sampling(max_tokens=_LINE.max_tokens, seed=seed),
        )
        line = _one_line("".join(stream), whole.session.speaker)
        if not line:
            raise BadInput("The model wrote nothing for the person: try again, or speak yourself.")
        hashes = {PROMPT: prompt_hash("sandbox.replay", PROMPT)}
        origin = Origin("model", model=writer.name, prompts=hashes, seed=seed)
        return self._conversation.send(account, session_id, line, origin=origin)


def user_prompt(whole: Transcript, profile: str) -> str:
    """What the model is asked: who the person is, and the latest words of both."""
    session = whole.session
    said = list(whole.said())[-_LATEST:]
    lines = (f"{one.speaker}: {' '.join(one.text.split())}" for one in said)
    about = f"About {session.speaker}: {' '.join(profile.split())}\n" if profile.strip() else ""
    return render(
        "sandbox.replay",
        PROMPT,
        speaker=session.speaker,
        name=session.persona.name,
        about=about,
        talk=fence("\n".join(lines) or "(nothing yet)", "talk"),
    )


def _one_line(text: str, speaker: str) -> str:
    """The person's words without what models put around them."""
    line = " ".join(text.split()).removeprefix(f"{speaker}:").strip()
    return line[1:-1].strip() if len(line) > 1 and line[0] == line[-1] == '"' else line
