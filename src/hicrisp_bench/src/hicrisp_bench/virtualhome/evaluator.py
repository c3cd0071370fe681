"""A task of the package with its goals, and the package's own judgement of a plan for it.

The rules are those of ``virtualhome_eval`` (action sequencing): a plan is read as one JSON object, so that of
an action that stands twice only the last line is kept; a step that the executor calls needless is passed
over, any other refusal ends the plan; what the state is then, and which actions were carried out in which
order, is compared with the goals. A plan that is the task's own program to the letter counts as executable
and is not scored, as in the package.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from hicrisp_bench.virtualhome import package

_NEEDLESS = 4
"""The executor's number for a refusal of something that is so already."""


@dataclass(frozen=True)
class Episode:
    """One task: its scene, the objects that a plan for it may name, and what the package's evaluator asks of
    the end.

    The goals are for :func:`judge` alone; nothing that runs or corrects a plan is given them.

    Args:
        graph: the package's ``EnvironmentGraph`` of the scene before the task.
        names: the objects that the models were told of: class to number.
        character: the number of the person who acts.
        program: the task's own program, in the executor's notation.
        scored: whether the task's own end meets its goals; the package leaves out those that do not.
    """

    identifier: str
    name: str
    graph: Any
    names: Mapping[str, int]
    character: int
    program: Tuple[str, ...]
    nodes: Tuple[Dict[str, Any], ...]
    edges: Tuple[Dict[str, Any], ...]
    actions: Tuple[str, ...]
    scored: bool


@dataclass(frozen=True)
class Judgement:
    """What the evaluator says of a plan.

    Args:
        executable: whether the executor took every step that it did not call needless.
        success: whether the package counts the plan as a success.
        goals_met: whether the goals are met; not the same for the task's own program, which is never scored.
        why: empty, or ``parsing``, ``hallucination``, ``arguments``, ``program`` or the executor's refusal.
    """

    executable: bool = False
    success: bool = False
    goals_met: bool = False
    why: str = ""


def load_episode(identifier: str) -> Episode:
    """A task of the package. Loading takes some 60 ms; an episode serves any number of plans.

    Raises:
        KeyError: when there is no such task.
    """
    task = package.tasks()[identifier]
    utils = package.part("eval_utils")
    planner, program = package.planner_of(identifier)
    goals = task["vh_goal"]["goal"]
    nodes = utils.remove_duplicate_dicts([goal for goal in goals if "state" in goal])
    edges = utils.remove_duplicate_dicts([goal for goal in goals if "relation_type" in goal])
    actions = tuple(dict.fromkeys(task["vh_goal"]["actions"]))
    # The package takes the last of a class in the order of a hash; the last by number is the same in every
    # run.
    names = dict(sorted(planner.get_relevant_nodes(), key=lambda named: named[1]))
    met = utils.scene_evaluate_wID(planner.final_state_dict, nodes, edges, planner.acting_char_id)[3]
    return Episode(identifier, task["name"], planner.env_graph, names, planner.acting_char_id, program,
                   tuple(nodes),
                   tuple(edges), actions, bool(met))


def read_by_evaluator(text: str, names: Mapping[str, int]) -> Tuple[Optional[Tuple[str, ...]], str]:
    """A model's answer as the package reads it: the actions in the executor's notation, or why not."""
    utils = package.part("eval_utils")
    text = text[len("```json"):] if text.startswith("```json") else text
    try:
        plan = json.loads(text.strip().replace("\n", "").replace("'", '"'))
    except ValueError:
        return None, "parsing"
    if not plan:
        return None, "parsing"
    if not (utils.check_no_hallucination_in_action(plan) and utils.check_no_hallucination_in_arg(plan, names)):
        return None, "hallucination"
    if not utils.check_action_grammar(plan)[0]:
        return None, "arguments"
    return tuple(utils.json_to_action(plan, relevant_name_to_id=names)), ""


def judge(episode: Episode, actions: Sequence[str]) -> Judgement:
    """The package's judgement of actions in the executor's notation, carried out from the task's beginning."""
    execution, environment = package.part("execution"), package.part("environment")
    scripts = package.part("scripts")
    state = environment.EnvironmentState(episode.graph, {}, instance_selection=True)
    carried_out: List[str] = []
    why = ""
    for action in actions:
        told = execution.ExecutionInfo(eval_mode=True)
        script = scripts.Script([scripts.parse_script_line(action, 1)])
        after = next(execution.ScriptExecutor.call_action_method(script, state, told, 0), None)
        if after is not None:
            state = after
            carried_out.append(action)
        elif told.get_error_type() != _NEEDLESS:
            why = told.get_error_string()
            break
    met = package.part("eval_utils").scene_evaluate_wID(
        state.to_dict(), list(episode.nodes), list(episode.edges), episode.character, action_seq=carried_out,
        action_goals=list(episode.actions))[3]
    own = tuple(actions) == episode.program
    return Judgement(not why, bool(met) and not own, bool(met), "program" if own else why)
