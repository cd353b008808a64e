"""Which reply of a session is inspected, and which came before it."""

from sandbox.transcripts import Transcript


def inspected(whole: Transcript, selected: str) -> str:
    """Id of the reply to inspect: the selected one, else the latest chosen one; empty for none."""
    known = [line.id for turn in whole.turns for line in turn.replies]
    chosen = [turn.chosen for turn in whole.turns if turn.chosen]
    return selected if selected in known else (chosen[-1] if chosen else "")


def before_it(whole: Transcript, reply: str) -> str:
    """Id of the model's reply before this one: its elder sibling, or an earlier turn's chosen one.

    Empty where there is none.
    """
    found = ""
    for turn in whole.turns:
        elder = found
        for line in turn.replies:
            if line.id == reply:
                return elder
            elder = line.id if line.author == "model" else elder
        found = turn.reply.id if turn.reply and turn.reply.author == "model" else found
    return found
