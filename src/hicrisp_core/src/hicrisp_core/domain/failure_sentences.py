"""The sentences of failures, their causes and measured values: tables, with slots for what they are about.

A sentence has no capital and no full stop here. Where several stand in a row, the first whose slots are all
known is taken; where none is, nothing is said.
"""

from __future__ import annotations

from typing import Mapping, NamedTuple, Tuple

from hicrisp_core.model import CauseKind, FeedbackKind

Variants = Tuple[str, ...]


class Said(NamedTuple):
    """The sentences of one kind of failure."""

    error: Variants
    reason: Variants = ()
    suggestion: Variants = ()


_COULD_NOT = ("could not {doing}",)
_CANNOT = ("cannot {doing}", "cannot carry out this step")
DRIVER = Said(_COULD_NOT, ("{cause}",), ("move {blockers} away first", "{cause_advice}"))
"""What the driver says of its failure, with what is wrong behind it."""
ADVICE: Mapping[CauseKind, str] = {
    CauseKind.STUCK: "look what holds it, or ask a person to free it",
    CauseKind.SLIPPED: "try it again",
    CauseKind.OUT_OF_REACH: "let another arm do it, or bring it within reach",
}
"""What may help against some causes."""

SENTENCES: Mapping[FeedbackKind, Said] = {
    FeedbackKind.PRECONDITION: Said(_CANNOT, ("{condition}", "{cause}"), ("{condition_advice}",)),
    FeedbackKind.PLANNING: DRIVER,
    FeedbackKind.EXECUTION: DRIVER,
    FeedbackKind.POSTCONDITION: DRIVER,
    FeedbackKind.TIMEOUT: DRIVER,
    FeedbackKind.REFUSED: DRIVER,
    FeedbackKind.SAFETY: DRIVER,
    FeedbackKind.INVALID: Said(
        _CANNOT, ("{cause}", "there is no {parameter} '{subject}'; there are: {alternatives}")),
    FeedbackKind.CANCELED: Said(_COULD_NOT, ("{cause}", "the task was canceled")),
    FeedbackKind.LOST: Said(_COULD_NOT + ("cannot reach the {subject}",), ("{cause}",), ("start the {subject} again",)),
    FeedbackKind.NO_EFFECT: Said(_COULD_NOT, ("the driver reports success, but nothing has changed",)),
    FeedbackKind.NOT_GRASPED: Said(
        ("{subject_the} is not in the gripper of {robot}",), ("it is {measured}",), ("pick up {subject} again",)),
    FeedbackKind.NOT_RELEASED: Said(
        ("{subject_the} is still in the gripper of {robot}",), ("it is {measured}",), ("{doing} again",)),
    FeedbackKind.NOT_SEEN: Said(
        _CANNOT, ("{cause}", "{subject_the} has not been seen for {pose_age}", "{subject_the} was never seen"),
        ("bring it back into view",)),
    FeedbackKind.STALE_POSE: Said(
        ("{subject_the} has not been seen for {pose_age}",),
        ("{cause}", "poses older than {pose_age_limit} do not count"),
        ("check the source of the poses, or bring it back into view",)),
    FeedbackKind.CANNOT_TELL: Said(
        ("cannot tell whether {fact_wanted}", "cannot tell what became of it"),
        ("{cause}",), ("bring {subjects_the} into view",)),
    FeedbackKind.NOT_MADE: Said(("{fact_the}",), ("{measures}",), ("pick up {item} and {doing} again",)),
    FeedbackKind.NOT_REMOVED: Said(("{fact_the}",), ("{measures}",), ("pick up {item} and {doing} again",)),
    FeedbackKind.UNDONE: Said(
        ("it does not hold that {fact_wanted}",), ("it should since '{doing}'",), ("{doing} again",)),
    FeedbackKind.NO_PLACE: Said(
        _CANNOT,
        ("no spot within reach is free: {subjects_the} {subjects_be} in the way",
         "{cause}",
         "every spot is out of reach, off the table or tried already"),
        ("move {blockers} away first", "choose another place")),
    FeedbackKind.UNREACHABLE: Said(
        ("cannot {doing}", "{subject} was skipped"),
        ("no drive reached a free spot there: {drives_failed} failed",
         "no path leads to a free spot there ({goals_tried} tried)", "{cause}",
         "no path led there, and the order allows no visit later"),
        ("skip it and go on: a path leads to {alternatives_and}", "move {blockers} away first")),
    FeedbackKind.ENTERED: Said(("{robot_the} entered {subject_the}, where it must not go",), (), ("take another way",)),
    FeedbackKind.OUT_OF_ORDER: Said(
        ("{robot_the} is in {subject}, but {alternatives_and} comes first",
         "{robot_the} is in {subject}, which is not due", "cannot {doing}"),
        (), ("go to {alternatives_and} first",)),
    FeedbackKind.WRONG_AREA: Said(
        ("{robot_the} is in {subject}, but {alternatives_and} comes first",
         "{robot_the} is in {subject}, which is not due"), (), ("{doing}",)),
    FeedbackKind.NOT_DUE: Said(_CANNOT, (), ("leave this step out",)),
    FeedbackKind.OMITTED: Said(("{subject} was not visited",), ("{cause}", "the task asks for it"), ("{doing}",)),
    FeedbackKind.GOAL_MISSED: Said(
        ("the task is not done: {missing}", "the task is not done"), (), ("see to it that {wanted}",)),
    FeedbackKind.GOAL_UNSEEN: Said(
        ("nobody can see whether {so}", "nobody can see whether the task is done"),
        ("{cause}", "{subjects_the} {subjects_be} out of view"),
        ("bring {subjects_the} back into view",)),
    FeedbackKind.CARRIED_OUT: Said(
        ("every step of the plan was carried out",),
        ("whether that is what the task asks for is to be judged by what holds now",),
        ("plan what is left to do, or answer that nothing is",)),
    FeedbackKind.BREAKS_CONDITION: Said(_CANNOT, ("the task is to be done {kept}",), ("take another way",)),
    FeedbackKind.SAID_BY_USER: Said(
        ("the user changed the task while it ran",), ("{cause}",), ("see to it that {wanted}",)),
    FeedbackKind.BARS_LATER_STEP: Said(
        ("cannot {doing}: it cannot be undone, and the plan could not {later} any more",),
        ("{condition}",), ("first {later}, or leave it out",)),
}

CAUSES: Mapping[CauseKind, Variants] = {
    CauseKind.UNKNOWN: ("{said}",),
    CauseKind.STALE_SENSOR: ("{said}", "no data has come from {names} for {seconds}", "{names} is silent",
                             "a sensor is silent"),
    CauseKind.AHEAD: ("{said}", "the pose of {names_the} is stamped {seconds} ahead of the clock; set the "
                      "clocks of all hosts by the same time server", "a stamp is ahead of the clock"),
    CauseKind.NOT_SEEN: ("{names_the} has not been in view for {seconds}", "{names_the} is not in view", "{said}"),
    CauseKind.HIDDEN: ("{names_the} {names_be} hidden from the camera, last seen {seconds} ago",
                       "{names_the} {names_be} hidden from the camera", "it is hidden from the camera"),
    CauseKind.GONE: ("{names_the} {names_be} not where the camera last saw it, {seconds} ago",
                     "{names_the} {names_be} not where the camera last saw it",
                     "it is not where the camera last saw it"),
    CauseKind.NO_PICTURE: ("{said}", "the camera shows nothing that can be used"),
    CauseKind.IMPRECISE: ("the camera does not see exactly enough where {names_the} {names_be}",
                          "the camera does not see it exactly enough"),
    CauseKind.DISPUTED: ("{said}", "what is measured is not what the pictures show"),
    CauseKind.REFUSED: ("{names} refused the command: {said}", "{said}", "{names} refused the command"),
    CauseKind.UNSUPPORTED: ("the driver cannot honour {names}: {said}", "the driver cannot honour {names}", "{said}"),
    CauseKind.NO_PATH: ("no path reaches {names}", "{said}", "no path was found"),
    CauseKind.FORBIDDEN: ("no path keeps out of {names_the}, which must not be entered", "{said}",
                          "a forbidden zone is in the way"),
    CauseKind.OUT_OF_REACH: ("{said}", "{names} is out of reach", "it is out of reach"),
    CauseKind.BLOCKED: ("{names_the} {names_be} in the way", "{said}", "something is in the way"),
    CauseKind.TOUCHED: ("{said}", "the robot touched {names_the}", "the robot touched something"),
    CauseKind.SLIPPED: ("{names_the} slipped out of the gripper", "{said}", "it slipped out of the gripper"),
    CauseKind.NOT_GRIPPED: ("the gripper closed on nothing",),
    CauseKind.NO_GRASP: ("{said}", "no grasp fits {names_the}", "no grasp fits it"),
    CauseKind.OFF_GOAL: ("{said}", "{names_the} was seen {metres} from where it should be",
                         "it was seen elsewhere than it should be"),
    CauseKind.STUCK: ("{said}", "{names_the} holds fast", "it holds fast"),
    CauseKind.NOT_HELD: ("{said}", "{names_the} is not in the hand", "it is not in the hand"),
    CauseKind.HAND_FULL: ("{said}", "{names_the} is in the hand already", "the hand is full"),
    CauseKind.STILL_MOVING: ("{said}", "{names} still moves", "the robot still moves"),
    CauseKind.OFF_COURSE: ("{said}", "{names} ended off its course", "the motion ended off its course"),
    CauseKind.OUT_OF_TIME: ("the time limit of {seconds} passed", "{said}", "the time limit passed"),
    CauseKind.TAKEN_OVER: ("{said}", "{names} took the robot over", "somebody else commanded the robot"),
    CauseKind.UNREACHABLE_NODE: ("{said}", "{names} has not answered for {seconds}", "{names} does not answer"),
    CauseKind.LOCALISATION: (
        "it is not known where the robot is: {names} is {seconds} old", "{said}",
        "it is not known where the robot is: {names} is missing", "it is not known where the robot is"),
    CauseKind.HARDWARE: ("{said}", "{names} reports an error", "the robot reports an error"),
    CauseKind.STOPPED: ("{said}", "{names} stopped the robot", "the robot was stopped"),
    CauseKind.CANCELED: ("{said}", "{names} canceled it", "the task was canceled"),
    CauseKind.MALFORMED: ("{said}", "the command has no valid {names}"),
    CauseKind.SAID: ('the user said: "{said}"', "the user wants it otherwise"),
    CauseKind.NOT_APPROVED: ("it cannot be undone and was not approved",),
}

MEASURES: Mapping[str, str] = {
    "opened": "{} open",
    "gap": "{} away",
    "gap_limit": "(at most {})",
    "bearing_off": "{} off the direction",
    "from_tool": "{} from the tool",
    "opening": "with the fingers {} apart",
    "above_top": "{} above its top",
    "below_top": "{} below its top",
    "beside": "{} beside it",
    "from_middle": "{} from its middle",
    "below_rim": "{} below its rim",
    "above_floor": "{} above the floor",
    "tilt": "tilted by {}",
    "from_edge": "{} from its edge",
    "from_place": "{} from its place",
    "turned": "turned by {}",
    "off_reach": "{} from where the other arm works best",
    "off_target": "{} from its target",
    "displaced": "{} from where it stood",
}
"""Each measured value as it follows "it is"."""
