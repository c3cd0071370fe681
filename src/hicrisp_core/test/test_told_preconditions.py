"""What prompts tell of an action's preconditions, read as a planner reads it: it is the rule that the checker has."""

import itertools
import random
import re
from dataclasses import replace

import pytest
from hicrisp_core.domain.conditions import BUILT_IN, Facts
from hicrisp_core.domain.effects import type_test
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.model import Relation, RobotState, WorldObject, WorldState
from hicrisp_core.prompting.describe import actions_text

DOMAINS = ("agv", "blocks", "blocks_moves", "kitchen", "lab", "tabletop", "virtualhome")
STATES = 60
NUMBERS = ("0", "40", "100", "250")
TOKEN = re.compile(r"\s*([(),]|[^\s(),]+)")


class Reader:
    """Reads conditions with ``not``, ``and``, ``or`` and parentheses, without the domain's own parser.

    A condition is read as nested tuples: ``("or", parts)``, ``("and", parts)``, ``("not", part)`` or
    ``("atom", predicate, arguments)``, an argument being a list of terms and signs.
    """

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)

    def listed(self):
        found = [self.either()]
        while self.tokens[:1] == [","]:
            self.take()
            found.append(self.either())
        assert not self.tokens, self.tokens
        return found

    def either(self):
        return self.chain("or", lambda: self.chain("and", self.one))

    def chain(self, word, part):
        parts = [part()]
        while self.tokens[:1] == [word]:
            self.take()
            parts.append(part())
        return parts[0] if len(parts) == 1 else (word, parts)

    def one(self):
        word = self.take()
        if word == "not":
            return ("not", self.one())
        if word == "(":
            inside = self.either()
            assert self.take() == ")"
            return inside
        assert self.take() == "("
        arguments = [[]]
        while (term := self.take()) != ")":
            if term == ",":
                arguments.append([])
            else:
                arguments[-1].append(term)
        return ("atom", word, arguments)

    def take(self):
        return self.tokens.pop(0)


def told(domain, world):
    """The conditions behind "Needs" and "Uses up" in an action's line, and the line."""
    line = actions_text(domain, world).splitlines()[0]
    return [each for words in re.findall(r"(?:Needs|Uses up) (.*?)\.(?= [A-Z]|$)", line)
            for each in Reader(words).listed()], line


def truth(node, names, facts, types, domain):
    """Whether a condition holds: each alternative with names of its own for ``?variables`` and ``anything``."""
    if node[0] == "or":
        return any(truth(each, names, facts, types, domain) for each in node[1])
    if node[0] == "not":
        return not truth(node[1], names, facts, types, domain)
    atoms = node[1] if node[0] == "and" else [node]
    if any(each[0] != "atom" for each in atoms):
        return all(truth(each, names, facts, types, domain) for each in atoms)
    fresh = itertools.count()
    atoms = [(predicate, [[f"?_{next(fresh)}" if term == "anything" else term for term in argument]
                          for argument in arguments]) for _, predicate, arguments in atoms]
    unknown = sorted({term for _, arguments in atoms for argument in arguments for term in argument
                      if term.startswith("?")})
    universe = sorted({*types, *NUMBERS})
    return any(all(atom_holds(predicate, arguments, {**names, **dict(zip(unknown, chosen))}, facts, types, domain)
                   for predicate, arguments in atoms)
               for chosen in itertools.product(universe, repeat=len(unknown)))


def atom_holds(predicate, arguments, names, facts, types, domain):
    if predicate == "type":
        return domain.is_a(types.get(names.get(arguments[0][0], arguments[0][0]), ""), arguments[1][0])
    values = [value([names.get(term, term) for term in argument]) for argument in arguments]
    if predicate == "same":
        return values[0] == values[1]
    if predicate in ("less", "at_least"):
        try:
            left, right = map(float, values)
        except ValueError:
            return False
        return left < right if predicate == "less" else left >= right
    subject, object_ = (*values, "")[:2]
    return Relation(subject, predicate, object_) in facts


def value(terms):
    if len(terms) == 1:
        return terms[0]
    try:
        added = sum(float(sign + term) for sign, term in zip(terms[1::2], terms[2::2]))
        return f"{float(terms[0]) + added:g}"
    except ValueError:
        return "unknown"


def random_state(domain, action, chance):
    """Return a state with objects of random types and facts that the action asks for, and what its parameters name."""
    names, objects, robots = {}, {}, {}
    kinds = sorted(domain.types)
    for parameter in action.parameters.values():
        if parameter.type == "number":
            names[parameter.name] = chance.choice(NUMBERS)
        elif parameter.type in ("arm", "base"):
            names[parameter.name] = "robby"
            robots["robby"] = RobotState("robby", parameter.type)
        else:
            # Two parameters may have the same object; a condition may ask for any type.
            name = chance.choice([*objects, f"thing_{len(objects)}"]) if objects else "thing_0"
            names[parameter.name] = name
            fit = [kind for kind in kinds if domain.is_a(kind, parameter.type)]
            objects.setdefault(name, chance.choice(chance.choice([fit or kinds, kinds])))
    atoms = [atom for each in action.preconditions for clause in each.condition.clauses for atom in clause.atoms]
    literals = {argument for atom in atoms if atom.predicate != "type" for argument in atom.arguments
                if not argument.startswith("?") and argument not in (*names, "_") and " " not in argument}
    objects.update({name: chance.choice(kinds) for name in (*literals, "extra_0", "extra_1") if name not in objects})
    facts = set()
    for atom in atoms:
        if atom.predicate in BUILT_IN:
            continue
        predicate, everyone = domain.predicates[atom.predicate], [*objects, *robots]
        for _ in range(chance.randint(0, 5)):
            # Facts near the condition, so that both answers come up often.
            said = [names.get(argument, argument) if argument in names or argument in literals else
                    chance.choice(NUMBERS if kind == "number" else everyone)
                    for argument, kind in zip(atom.arguments, predicate.arguments)]
            if chance.random() < 0.4:
                at = chance.randrange(len(said))
                said[at] = chance.choice(NUMBERS if predicate.arguments[at] == "number" else everyone)
            facts.add(Relation(said[0], atom.predicate, *said[1:]))
    world = WorldState({name: WorldObject(name, kind) for name, kind in objects.items()}, frozenset(facts), robots)
    return world, names


@pytest.mark.parametrize("name", DOMAINS)
def test_what_is_told_of_a_precondition_is_what_the_checker_asks_for(config_dir, name):
    domain = load_domain(config_dir / "domains" / f"{name}.yaml")
    chance = random.Random(f"told {name}")
    for action in domain.actions.values():
        for each in action.preconditions:
            alone = replace(action, preconditions=(each,))
            small = replace(domain, actions={action.name: alone})
            seen = set()
            for _ in range(STATES):
                world, names = random_state(domain, alone, chance)
                conditions, line = told(small, world)
                assert len(conditions) == 1, line
                holds = each.condition.holds(Facts(world.relations), type_test(domain, world), names)
                assert truth(conditions[0], names, world.relations, world.types(), domain) == holds, (
                    line, names, sorted(world.relations))
                seen.add(holds)
            assert seen == {True, False}, f"the states do not tell {line} from nothing"


@pytest.mark.parametrize("name", DOMAINS)
def test_every_precondition_of_an_action_is_told_in_its_line(config_dir, name):
    domain = load_domain(config_dir / "domains" / f"{name}.yaml")
    chance = random.Random(f"all told {name}")
    for action in domain.actions.values():
        small = replace(domain, actions={action.name: action})
        for _ in range(STATES):
            world, names = random_state(domain, action, chance)
            conditions, line = told(small, world)
            assert len(conditions) == len(action.preconditions), line
            facts, is_a = Facts(world.relations), type_test(domain, world)
            assert all(truth(each, names, world.relations, world.types(), domain) for each in conditions) == all(
                each.condition.holds(facts, is_a, names) for each in action.preconditions), (line, names)
