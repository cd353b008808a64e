"""What makes a session a replay."""

from dataclasses import dataclass, replace

from sandbox.instances import Instance
from sandbox.replay.gears import Forcing, Gear, Options
from sandbox.replay.protocols import protocol_of
from sandbox.transcripts import Session


@dataclass(frozen=True, slots=True)
class Replayed:
    """A gear, with what it leaves open."""

    gear: Gear
    forcing: Forcing = "teacher"
    options: Options = Options()

    def applied(self, session: Session, instance: Instance) -> Session:
        """The session as a replay: its clock stands, and nothing waits in its box."""
        return replace(
            session,
            gear=self.gear,
            forcing=self.forcing,
            replay=self.options,
            protocol=protocol_of(instance, self.gear, self.options.prompts),
            clock=session.clock or session.created_at,
            box=None,
        )
