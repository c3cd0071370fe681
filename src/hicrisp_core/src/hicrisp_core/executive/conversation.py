"""What people say: a request is understood with questions asked back, and a remark beside the motions.

A thread of its own asks the interpreter. What it finds is a change that waits until the task takes it up; a
command that no longer serves the new goal is stopped in its motion, any other may end.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Condition, Event, Thread
from typing import Callable, Dict, Iterator, Optional, Tuple

from hicrisp_core.domain import Domain, Ending, Searcher, described, goal_words, spoken
from hicrisp_core.domain.wording import quantity
from hicrisp_core.executive.goal_keeper import still_useful
from hicrisp_core.executive.run_log import RunLog, in_words
from hicrisp_core.goals.planning import way_to
from hicrisp_core.goals.stages import final_conditions
from hicrisp_core.goals.truth import same_goal
from hicrisp_core.model import Cause, CauseKind, Command, Feedback, FeedbackKind, Goal, Level, Task, WorldState
from hicrisp_core.model.meaning import Answer, Choice, Meaning, Question, Reason, Refusal, Speaker, Turn, wants_end
from hicrisp_core.model.track import DOUBT
from hicrisp_core.ports.executive import Ports
from hicrisp_core.ports.interpreter import Request, Understood
from hicrisp_core.time import Deadline, LinkedEvent
from hicrisp_core.trace.events import QuestionAsked, UserSaid

_LIMIT = 300.0
"""Wall seconds for one answer of the interpreter."""
_MOST_QUESTIONS = 3
"""How often the user is asked back about one request."""
_TAKE_APART = "Nothing was moved. Move the objects apart, and ask again; a name tells that it is one."
log = logging.getLogger(__name__)
CHANGED, KEPT, CANCELED = "changed", "kept", "canceled"
"""What a remark does to the task."""
_SEARCH_LIMIT = 5.0
_SLICE = 0.05


@dataclass(frozen=True)
class Settled:
    """What a conversation came to: its meaning without questions that are left, and its turns.

    Args:
        meaning: ``None`` if the interpreter gave no usable answer; ``trouble`` says why.
    """

    meaning: Optional[Meaning]
    conversation: Tuple[Turn, ...]
    trouble: str = ""


def settle(
    ports: Ports, ledger: RunLog, request: Request, patience: float,
    over: Callable[[], bool] = lambda: False,
) -> Settled:
    """Ask the interpreter for the meaning of a request, and the user whatever it asks back.

    Args:
        patience: wall seconds that the user has for an answer.
        over: whether the meaning is no longer needed.

    Returns:
        The meaning, with the request and the answers as turns of the conversation.
    """
    turns = request.conversation
    question = Question("")
    for _ in range(_MOST_QUESTIONS + 1):
        found = Understood(trouble="No interpreter is configured.") if ports.interpreter is None else \
            ports.interpreter.understand(request, Deadline(_LIMIT))
        turns = (*turns, Turn(Speaker.USER, request.text))
        ledger.used(found.usage)
        meaning = _doubted(found.meaning, request.world) if isinstance(found.meaning, Goal) else found.meaning
        if over() or not isinstance(meaning, Question):
            return Settled(meaning, turns, found.trouble)
        question = meaning
        with ledger.for_a_person():
            said = ports.ask(question, patience)
        ledger.tell(QuestionAsked(text=question.text, choices=tuple(each.text for each in question.choices),
                                  answer=said))
        # A question that does not name its choices itself is a turn together with them, by number.
        named = all(each.text.lower() in question.text.lower() or each.goal is not None for each in question.choices)
        listed = "; ".join(f"{number}. {each.text}" for number, each in enumerate(question.choices, start=1))
        turns = (*turns, Turn(Speaker.ROBOT, question.text if named else f"{question.text} {listed}"))
        if not said:
            why = f"No answer came within {quantity(patience, 's')}, so nothing was changed."
            return Settled(Refusal(Reason.NOTHING_TO_DO, f"{_with_choices(question)} {why}"), turns)
        choice = question.chosen(said)
        if choice is not None and choice.goal is not None:
            return Settled(choice.goal, (*turns, Turn(Speaker.USER, choice.text)))
        if choice is not None and isinstance(found.meaning, Goal):
            return Settled(Refusal(Reason.NOTHING_TO_DO, _TAKE_APART), (*turns, Turn(Speaker.USER, choice.text)))
        request = replace(request, text=choice.text if choice is not None else said, conversation=turns)
    why = "The answers so far did not settle it. Say the whole task in other words."
    return Settled(Refusal(Reason.NOTHING_TO_DO, f"{_with_choices(question)} {why}"), turns)


def _doubted(goal: Goal, world: WorldState) -> Meaning:
    """Return a goal, or the question whether its objects are single ones where that is in doubt."""
    doubts = {name: world.objects[name].attributes[DOUBT] for name in goal.names
              if name in world.objects and DOUBT in world.objects[name].attributes}
    if not doubts:
        return goal
    told = " ".join(f"The {spoken(name)} {doubt}." for name, doubt in doubts.items())
    return Question(f"{told} Go on as if it were one? (yes, no)", (Choice("yes", goal), Choice("no")))


def _with_choices(question: Question) -> str:
    """Return a question with its choices, if they are sentences of their own."""
    goals = [each.text for each in question.choices if each.goal is not None]
    listed = "; ".join(f"{number}. {text}" for number, text in enumerate(goals, start=1))
    return f"{question.text} {listed}." if listed else question.text


@dataclass(frozen=True)
class Change:
    """What a remark makes of the task: another goal, and the feedback that says so."""

    conversation: Tuple[Turn, ...]
    goal: Goal
    feedback: Feedback
    said: str


@dataclass
class _UnderWay:
    """A command in its motion, the world in which it began, and what stops it."""

    command: Command
    before: WorldState
    stop: Event


class Conversation:
    """Listens to the user while a task runs; without an inbox nothing is ever said.

    Args:
        latest: the world as it was seen last.
        patience: wall seconds for the answer to a question.
    """

    def __init__(
        self, ports: Ports, domain: Domain, ledger: RunLog, cancel: Event, patience: float,
        latest: Callable[[], WorldState], searcher: Searcher
    ) -> None:
        self._ports = ports
        self._domain = domain
        self._ledger = ledger
        self._cancel = cancel
        self._patience = patience
        self._latest = latest
        self._searcher = searcher
        self._news = Condition()
        self._task: Optional[Task] = None
        self.turns: Tuple[Turn, ...] = ()
        """What was said about the task so far, oldest first."""
        self._goal: Callable[[], Optional[Goal]] = lambda: None
        self._under_way: Dict[int, _UnderWay] = {}
        self._busy = False
        self._change: Optional[Change] = None
        self._over = Event()

    @contextmanager
    def open(self) -> Iterator["Conversation"]:
        """Provide the context in which the user is listened to.

        Yields:
            This conversation.
        """
        thread = Thread(target=self._listen, name="remarks", daemon=True)
        if self._ports.remarks is not None and self._ports.interpreter is not None:
            thread.start()
        try:
            yield self
        finally:
            self._over.set()
            if self._ports.remarks is not None:
                self._ports.remarks.end()

    def about(
        self, task: Task, conversation: Tuple[Turn, ...], goal: Callable[[], Optional[Goal]]
    ) -> None:
        """Start listening for a task; a pending change is dropped, as it is part of this task already.

        Args:
            task: the user's request with its id.
            conversation: what was said about it so far.
            goal: returns the remaining goal.
        """
        with self._news:
            self._task, self.turns, self._goal, self._change = task, conversation, goal, None
            self._news.notify_all()

    def settled(self) -> Optional[Change]:
        """Wait until the user's last words are understood, and return the pending change.

        The change stays pending, and no further one is accepted, until :meth:`about` or :meth:`kept`.

        Returns:
            The change; ``None`` without one.
        """
        remarks = self._ports.remarks
        if remarks is None:
            return None
        with self._news:
            while self._change is None and (self._busy or remarks.arrived.is_set()) \
                    and not self._cancel.is_set():
                self._news.wait(_SLICE)
            return self._change

    def closed(self) -> bool:
        """Stop listening, unless a change is pending.

        Returns:
            Whether listening has stopped.
        """
        if self._ports.remarks is None:
            return True
        self.settled()
        with self._news:
            return self._change is None and not self._busy and self._ports.remarks.close()

    @contextmanager
    def motion(self, command: Command, before: WorldState) -> Iterator[Event]:
        """Provide the context of a command's motion.

        Args:
            command: the action with its arguments and constraints.
            before: the world in which it starts.

        Yields:
            An event that is set when the motion has to stop, because of a change or a cancellation.
        """
        mine = _UnderWay(command, before, Event())
        with self._news:
            self._under_way[id(mine)] = mine
            if self._change is not None:  # It was said while the command was prepared.
                mine.stop.set()
        try:
            yield LinkedEvent(self._cancel, mine.stop)
        finally:
            with self._news:
                del self._under_way[id(mine)]

    def stopped(self, command: Command) -> Optional[Feedback]:
        """Return why a motion had to stop.

        Args:
            command: the action with its arguments and constraints.

        Returns:
            The feedback of the pending change; ``None`` without one.
        """
        with self._news:
            return replace(self._change.feedback, command=command) if self._change is not None else None

    def kept(self, change: Change, why: str) -> None:
        """Report that a change was not applied.

        Args:
            change: what the user asked for.
            why: the reply to the user.
        """
        with self._news:
            self.turns, self._change = (*change.conversation, Turn(Speaker.ROBOT, why)), None
            self._news.notify_all()
        self._ledger.tell(UserSaid(text=change.said, effect=KEPT, reply=why))

    def _listen(self) -> None:
        while not self._over.is_set():
            remarks = self._ports.remarks
            if remarks is None or not remarks.arrived.wait(_SLICE):
                continue
            with self._news:  # The last change is taken up first.
                said = remarks.take() if self._change is None else None
                self._busy = said is not None
                if said is None:
                    self._news.wait(_SLICE)
            if said is None:
                continue
            try:
                self._hear(said)
            except Exception as error:  # A remark must not end the task.
                log.exception("a remark was not understood: %r", said)
                reply = f"{type(error).__name__}: {error}. The task goes on as it was."
                self._ledger.tell(UserSaid(text=said, effect=KEPT, reply=reply))
            finally:
                with self._news:
                    self._busy = False
                    self._news.notify_all()

    def _hear(self, said: str) -> None:
        if wants_end(said):
            self._ledger.tell(UserSaid(text=said, effect=CANCELED))
            self._cancel.set()
            return
        with self._news:
            while self._task is None and not (self._over.is_set() or self._cancel.is_set()):
                self._news.wait(_SLICE)
            goal = self._goal()
            known = self._task is not None
        if not known or self._cancel.is_set():
            return
        world = self.unordered(self._latest())
        with self._news:
            items = (self._domain.item(each.command) for each in self._under_way.values())
            request = Request(said, world, self.turns, goal=goal, handled=tuple(filter(None, items)))
        found = settle(self._ports, self._ledger, request, self._patience, self._over.is_set)
        if self._over.is_set():  # The task has ended in the meantime.
            return
        new = found.meaning if isinstance(found.meaning, Goal) else None
        if new is not None:
            why = self._not_taken(new, goal, world)
        elif isinstance(found.meaning, Answer):
            why = found.meaning.text
        else:
            reason = found.meaning.text if isinstance(found.meaning, Refusal) else found.trouble
            why = f"{reason} The task goes on as it was.".strip()
        if new is None or why:
            self.turns = (*found.conversation, Turn(Speaker.ROBOT, why))
            self._ledger.tell(UserSaid(text=said, effect=KEPT, reply=why))
            return
        self._changes(new, said, found.conversation)

    def unordered(self, world: WorldState) -> WorldState:
        """Remove the facts about the order of visits, which a changed goal states itself.

        Args:
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            The world without them.
        """
        order = (self._domain.roles.waits_for, self._domain.roles.not_due)
        return world.with_relations(frozenset(fact for fact in world.relations
                                              if fact.predicate not in order))

    def _not_taken(self, goal: Goal, before: Optional[Goal], world: WorldState) -> str:
        """Return why a goal changes nothing: it is the same, or cannot be reached from here; empty if it may."""
        said = goal.said or goal_words(goal, self._domain)
        if before is not None and same_goal(goal, before, self._domain):
            return f"It means what the task means already: {said}."
        way = way_to(self._searcher, world, goal, Deadline(_SEARCH_LIMIT))
        if way.found or way.ending is Ending.OUT_OF_TIME and way.misfit is None and not way.others:
            return ""
        return f"I understand: {said}. No way leads there from here, so the task goes on as it was."

    def _changes(self, goal: Goal, said: str, conversation: Tuple[Turn, ...]) -> None:
        """Let the change wait, and stop what does not serve it."""
        goal = goal if goal.said else replace(goal, said=goal_words(goal, self._domain))
        reply = f"I understand: {goal.said}."
        feedback = Feedback(Level.HIGH, FeedbackKind.SAID_BY_USER, conditions=final_conditions(goal, self._domain),
                            cause=Cause(CauseKind.SAID, said=said))
        with self._news:
            moving = tuple(self._under_way.values())
        serving = {id(each) for each in moving
                   if still_useful(each.command, self.unordered(each.before), goal, self._domain, self._searcher)}
        with self._news:
            self._change = Change((*conversation, Turn(Speaker.ROBOT, reply)), goal, feedback, said)
            still = tuple(each for key, each in self._under_way.items() if key not in serving)
        self._ledger.tell(UserSaid(
            text=said, effect=CHANGED, reply=reply,
            stopped=tuple(described(self._domain, each.command) for each in still),
            feedback=in_words(feedback, self._domain)))
        for each in still:
            each.stop.set()
        with self._news:
            self._news.notify_all()
