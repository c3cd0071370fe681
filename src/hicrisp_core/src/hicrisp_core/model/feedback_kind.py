"""The classes of failures: what a Feedback can be about."""

from __future__ import annotations

from enum import Enum

from hicrisp_core.model.status import Status


class FeedbackKind(Enum):
    """What went wrong. The first ones are a driver's own words for it."""

    PRECONDITION = Status.PRECONDITION.value
    """Something that the command needs does not hold; ``unmet`` has the conditions."""
    PLANNING = Status.PLANNING.value
    """No motion was found; ``blockers`` has what stands in the way."""
    EXECUTION = Status.EXECUTION.value
    """The motion began and did not end where it should."""
    POSTCONDITION = Status.POSTCONDITION.value
    """The driver itself says that its effect did not come."""
    INVALID = Status.INVALID.value
    """The command or step is malformed; ``alternatives`` has what is valid."""
    CANCELED = Status.CANCELED.value
    """Somebody asked to stop."""
    TIMEOUT = Status.TIMEOUT.value
    """The time limit passed."""
    LOST = Status.LOST.value
    """A driver, node or model cannot be reached."""
    SAFETY = Status.SAFETY.value
    """An emergency stop, a safety limit or a refused approval ended the command."""
    NO_EFFECT = "no_effect"
    """The driver reports success, but the command did nothing that can be seen."""
    NOT_GRASPED = "not_grasped"
    """The item is not in the gripper after a pick."""
    NOT_RELEASED = "not_released"
    """The item is still in the gripper after a place."""
    NOT_SEEN = "not_seen"
    """A thing that the command is about has no pose."""
    STALE_POSE = "stale_pose"
    """The pose of a thing that the command is about is too old."""
    CANNOT_TELL = "cannot_tell"
    """The view does not support a verdict: ``cause`` has why, ``unmet`` the facts that nobody can see."""
    NOT_MADE = "not_made"
    """The command ran, but a fact that it should make is not seen; ``unmet`` has the facts."""
    NOT_REMOVED = "not_removed"
    """The command ran, but a fact that it should end still holds; ``unmet`` has the facts."""
    UNDONE = "undone"
    """A fact that an earlier step made is gone again; ``unmet`` has it."""
    NO_PLACE = "no_place"
    """There is no free spot within reach for a placement; ``blockers`` has what takes it."""
    UNREACHABLE = "unreachable"
    """No path leads to the area."""
    ENTERED = "entered"
    """A base was in a zone that it must not enter."""
    OUT_OF_ORDER = "out_of_order"
    """An area was visited, or would be, before another one that comes first in the task."""
    NOT_DUE = "not_due"
    """An area has had all its visits, or the task asks for none."""
    WRONG_AREA = "wrong_area"
    """A base ended in another area, whose turn it is not."""
    OMITTED = "omitted"
    """No step did something that the task asks for."""
    GOAL_MISSED = "goal_missed"
    """The steps are done and the goal is not seen to hold; ``conditions`` has what is missing."""
    GOAL_UNSEEN = "goal_unseen"
    """What the goal is about is out of view, so that nobody can say whether it holds."""
    BREAKS_CONDITION = "breaks_condition"
    """The command would end what the task wants to stay so; ``conditions`` has it."""
    SAID_BY_USER = "said_by_user"
    """What a user said while the task ran changes it; ``cause`` quotes the words, ``conditions`` has what is
    wanted now.
    """
    BARS_LATER_STEP = "bars_later_step"
    """The command cannot be undone and would make a later step of the plan impossible."""
    REFUSED = "refused"
    """The driver or executor refuses the command for a reason of its own, which ``cause`` quotes."""

    @classmethod
    def of(cls, status: Status) -> "FeedbackKind":
        """The kind of a driver's failure: the member of the same name."""
        return cls(status.value)
