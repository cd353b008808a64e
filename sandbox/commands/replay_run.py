"""The replay that `replay` goes through, and what it prints. Much to load."""

from collections.abc import Iterator, Sequence

from sandbox.account import ACCOUNT
from sandbox.assemble import Sandbox
from sandbox.collected import Collection
from sandbox.commands.output import progress
from sandbox.evaluation.evaluating import Judged
from sandbox.evaluation.shapes import evaluation_fields
from sandbox.inputs import BadInput
from sandbox.metrics.formulas import FIGURES, FORMULAS
from sandbox.replay.gears import TOLD, gold_keys, kind_of
from sandbox.replay.protocols import ASKED
from sandbox.replay.replayed import Replayed
from sandbox.replay.script import Stop
from sandbox.reply_traces import Reply
from sandbox.shapes import Plain
from sandbox.transcripts import Session


class ReplayRun:
    """One dialogue, from its first stop to its last or to a trouble."""

    def __init__(
        self,
        sandbox: Sandbox,
        replayed: Replayed,
        judge: str | None,
        *,
        reveal: bool,
        to: int | None = None,
    ) -> None:
        """`to` is the number of the stop that it ends at, from 1; null: the last."""
        self.trouble: str | None = None
        """Why it ended before its last stop; null if it did not."""
        self._sandbox = sandbox
        self._replayed = replayed
        self._judge = judge
        self._reveal = reveal
        self._to = to
        self._session: Session | None = None
        self._stops: list[Plain] = []
        self._told = ""
        self._asked = ""
        self._first = ""

    def open(
        self,
        files: Sequence[tuple[str, bytes]],
        name: str | None,
        strategy: str,
        model: str | None,
    ) -> None:
        """Read the files and open the dialogue.

        Raises:
            BadInput: if they cannot be read, or there is no such dialogue or gear.
            UnknownModel: if there is no such model.
        """
        if model is not None and model not in self._sandbox.models.names():
            self._sandbox.models.get(model)
        found = self._sandbox.instances.add(ACCOUNT, files)
        wanted = name or _first(found)
        self._session = self._sandbox.replays.open(
            ACCOUNT, found.sha256, wanted, self._replayed, strategy=strategy, model=model
        )
        stops = self._sandbox.replays.place(ACCOUNT, self._session.id).stops
        self._asked = ASKED[self._session.protocol]
        told = TOLD[kind_of(stops[0].instance)][self._replayed.gear]
        self._told, self._first = f"{told.sentence} ({told.section})", stops[0].instance.id
        if self._to is not None and not 1 <= self._to <= len(stops):
            raise BadInput(f"--to must be between 1 and {len(stops)}, got {self._to}.")
        self._sandbox.start()

    def go(self) -> None:
        """Answer every stop; the first trouble ends it, and what there is is told."""
        assert self._session is not None
        place = self._sandbox.replays.place(ACCOUNT, self._session.id)
        for stop in place.stops[: self._to]:
            ended = self._sandbox.replays.step(ACCOUNT, self._session.id).wait()
            if ended.reply is None:
                self.trouble = ended.trouble or "There is no reply."
                return
            self._stops.append(self._line(stop, ended.reply))
            progress(f"stop {stop.number} of {len(place.stops)} is answered")

    def take_over(self, after: int | None) -> None:
        """Make an ordinary session of it, behind the utterance `after` where one is named.

        Raises:
            BadInput: if there is no such utterance.
        """
        assert self._session is not None
        self._session = self._sandbox.replays.take_over(ACCOUNT, self._session.id, after)

    def result(self) -> Plain:
        """The replay as plain values."""
        return {
            "session_id": self._session.id if self._session else None,
            "gear": self._replayed.gear,
            "shows": self._told,
            "forcing": self._replayed.forcing,
            "asked_with": self._asked,
            "go_on": self._go_on,
            "judge": self._judge,
            "stops": self._stops,
            "trouble": self.trouble,
        }

    def lines(self) -> Iterator[str]:
        """The replay for people."""
        yield f"{self._replayed.gear}: {self._told}"
        yield f"asked with {self._asked}"
        for stop in self._stops:
            yield ""
            yield f"stop {stop['stop']}, {stop['instance']}"
            yield f"  query   {stop['query']}"
            yield f"  reply   {stop['reply']}"
            yield f"  shown   {', '.join(stop['shown']) or 'nothing'}"
            if self._reveal:
                yield f"  gold    {stop['gold_reply'] or 'none'}"
                yield f"  golden  {', '.join(stop['gold']) or 'none'}"
            if stop["first_golden_shown"] is False:
                yield "  the first golden memory is not here"
            if stop["roles_proposed_by"]:
                yield f"  roles proposed by {stop['roles_proposed_by']}: no gold"
            for name, value in (stop["figures"] or {}).items():
                yield f"  {name}: {'not measured' if value is None else value}"
        if self._go_on:
            yield ""
            yield f"taken over; go on with: memory-sandbox {self._go_on}"

    @property
    def _go_on(self) -> str | None:
        """The command in which a session that was taken over is talked on in."""
        session = self._session
        if session is None or session.gear is not None:
            return None
        who = f"--persona {session.agent} --user {session.user}"
        return f"chat {who} --session {session.id}"

    def _line(self, stop: Stop, reply_id: str) -> Plain:
        assert self._session is not None
        reply = self._sandbox.conversation.reply(ACCOUNT, reply_id)
        keys = self._sandbox.replays.keys(self._session)
        shown = [keys.get(entry, entry) for entry in reply.injected]
        golden = gold_keys(stop.instance)
        line: Plain = {
            "stop": stop.number,
            "instance": stop.instance.id,
            "query": stop.query,
            "reply": reply.line.text,
            "reply_id": reply_id,
            "strategy": reply.strategy,
            "shown": shown,
            "gold": list(golden) if self._reveal else None,
            "gold_reply": stop.gold if self._reveal else None,
            "first_golden_shown": golden[0] in shown if self._reveal and golden else None,
        }
        return line | self._judged(reply)

    def _judged(self, reply: Reply) -> Plain:
        if self._judge is None:
            return {"figures": None, "evaluation": None, "roles_proposed_by": None}
        found = self._sandbox.evaluating.evaluate(ACCOUNT, reply.line.id, self._judge)
        latest = next(one for one in found.judged if one.verdict.judge == self._judge)
        by = {tag.by for tag in found.roles.values() if tag.source == "proposed"}
        return {
            "figures": _figures(latest),
            "evaluation": evaluation_fields(found, self._judge),
            "roles_proposed_by": ", ".join(sorted(by)) or None,
        }


def _figures(judged: Judged) -> dict[str, float | None]:
    """The figures and aspects that there are, by title."""
    found = {FORMULAS[key].title: judged.pool.figures[key].value for key in FIGURES}
    return found | {one.aspect: one.score for one in judged.verdict.aspects}


def _first(found: Collection) -> str:
    if not found.instances:
        raise BadInput(f"{found.name} holds no instance that could be replayed.")
    return found.instances[0].dialogue or found.instances[0].id
