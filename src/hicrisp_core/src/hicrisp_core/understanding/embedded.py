"""The interpreter over a small model that was trained to write goals in the user's own noun phrases.

It gets the names in the scene and the conversation, and answers one line of the written goal language; code links
the phrases to objects and evaluates counts, exceptions, orders and comparisons. A phrase that no object fits may stand
for one that has most of its words, or nearly ("nife", "black cube" for a black box), if the user says yes.
"""

from __future__ import annotations

from dataclasses import replace
from operator import or_
from typing import Collection, Dict, List, Mapping, Sequence

from hicrisp_core.domain import Domain, goal_words, spoken
from hicrisp_core.goals.truth import holds
from hicrisp_core.goals.validation import at_once
from hicrisp_core.llm.chat_model import ChatModel, LlmFailure, Message
from hicrisp_core.model import WorldState
from hicrisp_core.model.goal import Goal, GoalError, Not
from hicrisp_core.model.meaning import Choice, Meaning, Question, Reason, Refusal, Speaker, Turn
from hicrisp_core.parsing.names import Words, respelled, slips, words_by_name, words_of
from hicrisp_core.ports.interpreter import Request, Understood
from hicrisp_core.prompting.asking import cost_of
from hicrisp_core.prompting.quarantine import plain
from hicrisp_core.scene.colours import COLOURS
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.understanding.controlled.interpreter import context_of, nearest, shortcut
from hicrisp_core.understanding.controlled.reader import Reader
from hicrisp_core.understanding.verifier import verify
from hicrisp_core.understanding.written import Amount, Context, Line, Phrase, meaning_of, parse_line
from hicrisp_core.understanding.written.sayings import ACTOR, changed, each_in, exchanged

SYSTEM = "Write what the user means as one line of the goal language."
_MOST_NAMES = 40
"""Names of a scene that the prompt lists; of more, those that the conversation has a word of."""
_LONGEST_TURN = 400
_STEM = 4
"""Letters by which a word of the conversation and one of a name are alike."""
_MOST_CHOICES = 4
_SHORTEST = 3
"""Letters of a word that is too short to be a part of another one."""
_OWN, _ITS_COLOUR, _ANOTHER = {Amount.DIFFERENT: Amount.MATCHING}, "the one of its colour", "a different one for each"
_YES, _NO = "yes", "no"
_AGAIN = "Please say it in other words."
_MISREAD = (Reason.UNKNOWN_OBJECT, Reason.IMPOSSIBLE)
"""Refusals that a wrong line may be the cause of."""


class EmbeddedInterpreter:
    """Reads what is whole controlled English by itself, and asks the model for all else.

    Args:
        ask_below: a goal that the model finds less likely than this is said back to the user as a question.
    """

    def __init__(self, client: ChatModel, domain: Domain, ask_below: float) -> None:
        self._client = client
        self._domain = domain
        self._ask_below = ask_below

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        """Return what the request means; a goal that is in doubt as a question whether it is right."""
        if request.text.strip().lower() == _NO and request.conversation[-1:] \
                and request.conversation[-1].speaker is Speaker.ROBOT:
            return Understood(Question(_AGAIN))
        known = shortcut(request, self._domain)
        if known is not None:
            return Understood(known, sure=1.0)
        said = self._client.complete(messages(request), deadline)
        usage = cost_of(said)
        if isinstance(said, LlmFailure):
            return Understood(trouble=f"The language model gave no answer: {said.message}.", usage=usage)
        line = parse_line(said.text.strip())
        if isinstance(line, GoalError):
            return Understood(Question(f"I did not understand that. {_AGAIN}"), usage=usage, sure=said.sure)
        meaning = self._meaning(line, request)
        # A colour that is in no phrase of the line may contradict an object: "the box, the green one I mean".
        lost = sorted(set(words_of(request.text)) & set(COLOURS) - set(words_of(said.text)))
        if isinstance(meaning, Goal) and (
                lost or said.sure is not None and said.sure < self._ask_below or self._idle(meaning, request.world)) \
                and verify(meaning, self._domain, request.world) is None:
            meaning = shown(meaning, self._domain, f"I leave out '{lost[0]}'." if lost else "")
        if isinstance(meaning, Refusal) and meaning.reason in _MISREAD and said.sure is not None \
                and said.sure < self._ask_below:
            meaning = self._offered(meaning, request)
        return Understood(meaning, usage=usage, sure=said.sure)

    def _offered(self, refusal: Refusal, request: Request) -> Meaning:
        """The question which of the nearest sentences of controlled English is meant; the refusal if none is a task."""
        near = {text: shortcut(replace(request, text=text, conversation=()), self._domain)
                for text in nearest(request.text, Reader(self._domain, request.world))}
        choices = tuple(Choice(text, goal) for text, goal in near.items() if isinstance(goal, Goal))
        return Question(f"{refusal.text} Do you mean one of these?", choices) if choices else refusal

    def _idle(self, goal: Goal, world: WorldState) -> bool:
        """Whether it denies what is not so and its other conditions rule out: no part was found for what it names."""
        return any(isinstance(each, Not) and holds(each, world.relations, self._domain) and at_once(
            (each.part, *(other for other in stage.conditions if other is not each)), self._domain) is not None
            for stage in goal.stages[:1] for each in stage.conditions)

    def _meaning(self, line: Line, request: Request) -> Meaning:
        """What a line means; the user is shown what is near an object that is not there, and asked whose is "own"."""
        world, context = request.world, context_of(request)
        matching = changed(line, Phrase, lambda said: replace(said, amount=_OWN.get(said.amount, said.amount)))
        meaning = meaning_of(line, self._domain, world, context)
        own = meaning if matching == line else meaning_of(matching, self._domain, world, context)
        why, near = meaning.text if isinstance(meaning, Refusal) else "", {_ITS_COLOUR: own, _ANOTHER: meaning}
        if own == meaning or not isinstance(own, Goal):
            if isinstance(meaning, Goal):
                return replace(meaning, source=self._client.name)
            if not (isinstance(meaning, Refusal) and meaning.reason is Reason.UNKNOWN_OBJECT):
                return meaning
            near = {**goals_nearby(line, self._domain, world, context)}
        goals = {name: replace(goal, source=self._client.name) for name, goal in near.items()
                 if isinstance(goal, Goal) and verify(goal, self._domain, world) is None}
        if len(goals) == 1:
            return shown(next(iter(goals.values())), self._domain, f"{why.partition('. ')[0]}.".lstrip("."))
        choices = tuple(Choice(spoken(name), goal) for name, goal in goals.items())
        asks = Question(f"{why} Do you mean one of these?".strip(), choices)
        return asks if 1 < len(choices) <= _MOST_CHOICES else meaning


def goals_nearby(line: Line, domain: Domain, world: WorldState, context: Context) -> Dict[str, Goal]:
    """Return the goals of a line, by objects' names, with near objects in place of the phrases that fit none.

    Near are objects that have most of a phrase's words, or nearly ("nife"); only its last, the kind, may be another.
    """
    words = words_by_name(world)
    known = {word for own in words.values() for word in own}
    line = changed(line, Phrase, lambda said: replace(said, words=" ".join(respelled(said.words.split(), known))))
    bare = changed(line, Phrase, lambda said: replace(said, words=_known_words(said.words, known)))
    for each in dict.fromkeys((line, bare)):
        meant = meaning_of(each, domain, world, context)
        if isinstance(meant, Goal):
            return {str(each): meant}
    for phrase in dict.fromkeys(each_in(Phrase, line)):
        near = _nearest(phrase.words.split(), words) if phrase.words != ACTOR else ()
        lines = (exchanged(line, phrase, Phrase(name.replace("_", " "))) for name in near)
        meanings = zip(near, (meaning_of(each, domain, world, context) for each in lines))
        found = {name: goal for name, goal in meanings if isinstance(goal, Goal)}
        if found:
            return found
    return {}


def _known_words(words: str, known: Collection[str]) -> str:
    """Return words without those before the last that no object here has; colours, numbers and letters stay."""
    *before, last = words.split()
    return " ".join((*(word for word in before if word in known or word in COLOURS
                       or len(word) == 1 or not word.isalpha()), last))


def _nearest(said: Sequence[str], words: Mapping[str, Collection[str]]) -> Words:
    """The names with most of some words; only the last, the kind, and words that no object has may be others, but
    neither numbers nor colours.
    """
    shared = {name: [any(_alike(word, own) for own in owns) for word in said] for name, owns in words.items()}
    most = max(map(sum, shared.values()), default=0)
    open_ = [word.isalpha() and (word is said[-1] or not any(hits) and word not in COLOURS)
             for word, hits in zip(said, zip(*shared.values()))]
    return tuple(sorted(name for name, found in shared.items() if 0 < sum(found) == most
                        and all(map(or_, found, open_))))


def _alike(word: str, other: str) -> bool:
    """Whether a word may be another one, misspelt or a part of it: "remote" for a remote control."""
    part = len(word) > _SHORTEST and (other.startswith(word) or other.endswith(word))
    return slips(word, other) is not None or part and f"{word}{other}".isalpha()


def shown(goal: Goal, domain: Domain, why: str = "") -> Question:
    """Return the question whether a goal is the right one, and why it is asked."""
    text = f"I understand: {goal_words(goal, domain)}. Is that right?"
    return Question(f"{why} {text}".strip(), (Choice(_YES, goal), Choice(_NO)))


def messages(request: Request) -> List[Message]:
    """Return what the model is asked: the same at run time and in training."""
    turns = (*request.conversation, Turn(Speaker.USER, request.text))
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt_text(
        names_shown(request.world, turns), turns)}]


def prompt_text(names: Sequence[str], turns: Sequence[Turn]) -> str:
    """Return the user's message: the names in the scene, and the turns."""
    said = "\n".join(f"{turn.speaker.value}: {plain(turn.text, _LONGEST_TURN)}" for turn in turns)
    return f"here: {', '.join(names)}\n{said}"


def names_shown(world: WorldState, turns: Sequence[Turn]) -> List[str]:
    """Return the names that the prompt lists, as they are spoken."""
    names = [each.replace("_", " ") for each in sorted((*world.objects, *world.robots))]
    if len(names) <= _MOST_NAMES:
        return [plain(each, 60) for each in names]
    said = tuple({word for turn in turns for word in turn.text.lower().split()})
    return [plain(each, 60) for each in names
            if any(other.startswith(word[:_STEM]) for word in each.split() for other in said)][:_MOST_NAMES]
