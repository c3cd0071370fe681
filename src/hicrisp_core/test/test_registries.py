"""What configuration files may name: skills, target rules, detector tests, roles, and what an own package adds."""

import sys
from textwrap import dedent

import pytest
from hicrisp_core.check import check_file
from hicrisp_core.domain import load_domain
from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import PLUGINS_VARIABLE, extensions, standard_extensions
from hicrisp_core.model import Command, Relation, WorldObject, WorldState
from hicrisp_core.ports.kinds import ARM, BASE, Skill
from hicrisp_core.robot.description import body_of, read_body
from hicrisp_core.robot.gripper import Gripper

DOMAIN = """
domain: shop
types: {thing: object}
predicates:
  grips: {args: [arm, thing], text: "{0} grips {1}"}
  upon: {args: [thing, object], text: "{0} is upon {1}"}
ROLES
actions:
  take:
    text: "take {what}"
    parameters: {robot: arm, what: thing}
    SKILL
    effects: ["grips(robot, what)"]
"""


def write(tmp_path, roles="roles: {held: grips, stands_on: upon, item: what}", skill="skill: pick"):
    file = tmp_path / "shop.yaml"
    file.write_text(DOMAIN.replace("ROLES", roles).replace("SKILL", skill))
    return file


@pytest.mark.parametrize("registry", ["skills", "targets", "tests", "shapes", "worlds", "backends", "rungs"])
def test_everything_that_is_listed_is_there(registry):
    known = getattr(standard_extensions(), registry)
    assert known.names
    for name in known:
        known.get(name)


def test_a_domain_calls_things_what_it_likes(tmp_path):
    domain = load_domain(write(tmp_path))
    command = Command("take", {"robot": "arm_1", "what": "cup"}, "arm_1")
    world = WorldState({"cup": WorldObject("cup", "thing")}, frozenset({Relation("arm_1", "grips", "cup")}))
    assert domain.item(command) == "cup"
    assert domain.roles.is_held(world, "cup")
    assert not domain.roles.is_held(world.with_relations(frozenset()), "cup")


@pytest.mark.parametrize(("given", "message"), [
    ({"skill": "skill: pik"}, r"shop.yaml:\d+: actions.take.skill: unknown skill 'pik' "
                              r"\(did you mean 'pick'\?\); valid are: pick, place, home"),
    ({"skill": "skill: go_to"}, "'go_to' is one of a robot of the type base, and take has no such parameter"),
    ({"skill": "decode: zzz"}, "actions.take.decode: unknown target rule 'zzz'; valid are: free, apart, on"),
    ({"roles": "roles: {held: grips}"},
     "the skill 'pick' needs its item: name a parameter of take 'item', or give"),
    ({"roles": "roles: {hold: grips}"}, r"roles.hold: unknown key 'hold' \(did you mean 'held'\?\)"),
    ({"roles": "roles: {held: holding}"},
     "roles.held: 'holding' is no predicate of this domain; there are: grips"),
    ({"skill": "", "roles": "roles: {held: grips, item: which}"},
     "roles.item: no action has a parameter 'which'; there are: "),
    ({"roles": "roles: {touched: grips, item: what}"},
     "'grips' has 2 arguments; a predicate in this role has 1"),
    ({"roles": "roles: {area: place, item: what}"},
     "roles.area: 'place' is no type of this domain; there are:"),
])
def test_what_nobody_has_defined_is_refused_with_what_there_is(tmp_path, given, message):
    with pytest.raises(ConfigError, match=message):
        load_domain(write(tmp_path, **given))


def test_a_test_that_nobody_has_defined_is_refused(tmp_path):
    file = write(tmp_path)
    file.write_text(file.read_text().replace('text: "{0} is upon {1}"',
                                             'text: "{0} is upon {1}", detect: above'))
    with pytest.raises(ConfigError,
                       match="predicates.upon.detect: unknown detector test 'above'; valid are: holding"):
        load_domain(file)


def test_what_a_detector_test_implies_need_not_be_said(tmp_path):
    file = write(tmp_path, roles="roles: {item: what}")
    file.write_text(file.read_text().replace('text: "{0} grips {1}"',
                                             'text: "{0} grips {1}", detect: holding'))
    assert load_domain(file).roles.held == "grips"


def test_domains_that_extend_each_other_are_refused(tmp_path):
    write(tmp_path).write_text("domain: shop\nextends: [b]\ntypes: {}\npredicates: {}\nactions: {}\n")
    (tmp_path / "b.yaml").write_text("domain: b\nextends: [shop]\ntypes: {}\npredicates: {}\nactions: {}\n")
    with pytest.raises(ConfigError, match="b.yaml:2: extends.0: the domain 'shop' extends this one"):
        load_domain(tmp_path / "shop.yaml")


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """Writes a module of one's own and names it to the workspace."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write_module(name, text):
        (tmp_path / f"{name}.py").write_text(dedent(text))
        monkeypatch.setenv(PLUGINS_VARIABLE, name)
        monkeypatch.delitem(sys.modules, name, raising=False)
        return name
    return write_module


def test_the_operator_adds_a_skill_by_naming_a_module(plugin, tmp_path):
    plugin("own_skill", """
        from hicrisp_core.model import Outcome, Status
        from hicrisp_core.ports.kinds import ARM, BASE, Skill

        def extend(extensions):
            wave = Skill(ARM, lambda context, command: Outcome(Status.SUCCESS))
            return extensions.adding(skills={"wave": wave})
        """)
    assert "wave" in extensions().skills
    assert load_domain(write(tmp_path, skill="skill: wave")).actions["take"].skill == "wave"


def test_an_installed_package_adds_an_own_shape_by_its_entry_point(tmp_path, monkeypatch):
    (tmp_path / "nuts.py").write_text(dedent("""
        from hicrisp_core.model.shapes import Shape, one_box, rectangle

        def more(extensions):
            return extensions.adding(shapes={"hexagon": Shape(rectangle, one_box)})
        """))
    package = tmp_path / "nuts-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Name: nuts\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[hicrisp]\nnuts = nuts:more\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv(PLUGINS_VARIABLE, ",")  # No module, and a value that no other test has asked for.
    assert "hexagon" in extensions().shapes


def test_a_shape_that_nobody_brings_is_refused_with_those_that_there_are():
    with pytest.raises(ConfigError, match="unknown shape 'hexagon'; valid are: box, cylinder, bowl, surface, region"):
        assert WorldObject("nut", "box", "hexagon").form


@pytest.mark.parametrize(("name", "text", "message"), [
    ("own_none", "", "'own_none', which has no function extend"),
    ("own_word", "def extend(e): return 'done'", "own_word.extend returned str instead of the extensions"),
    ("own_kind", "def extend(e): return e.adding(tools={})",
     "own_kind: there is no registry 'tools'; there are: skills"),
    ("own_taken", "def extend(e): return e.adding(skills={'pick': 1})",
     "own_taken: there is a skill 'pick' already"),
    ("own_wrong", "def extend(e): return e.adding(skills={'wave': print})",
     "own_wrong: the skill 'wave' must be a Skill, not builtin_function_or_method"),
])
def test_a_mistake_in_an_own_module_is_told_when_it_is_loaded(plugin, name, text, message):
    plugin(name, text)
    with pytest.raises(ConfigError, match=message):
        extensions()


def test_a_module_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv(PLUGINS_VARIABLE, "no_such_module_here")
    with pytest.raises(ConfigError,
                       match="HICRISP_PLUGINS names 'no_such_module_here', which cannot be imported"):
        extensions()


def test_adding_leaves_the_standard_as_it_was():
    standard = standard_extensions()
    more = standard.adding(skills={"wave": Skill(ARM, lambda context, command: None)})
    assert "wave" in more.skills
    assert "wave" not in standard.skills


def test_a_robots_file_says_what_it_is_whoever_drives_it(tmp_path, config_dir):
    panda = read_body(config_dir / "robots" / "panda.yaml")
    assert (panda.kind, panda.frames.tool, panda.reach) == ("arm", "panda_hand_tcp", (0.3, 0.7))
    assert panda.gripper == Gripper(0.08, 0.030, 0.0095, (0.022, 0.026), (0.066, 0.206), 0.11)
    file = tmp_path / "lefty.yaml"
    file.write_text("name: lefty\nbody: {kind: arm, skills: [pick]}\n")
    uses = {"take": SkillUse("pick", "item"), "lay": SkillUse("place", "item")}
    assert list(read_body(file).able(uses)) == ["take"]


def test_a_drivers_file_has_its_own_body_or_that_of_the_robots_name(tmp_path):
    file = tmp_path / "lefty_slow.yaml"
    file.write_text("name: lefty\nbody: {kind: base, skills: [go_to]}\n")
    uses = {"drive": SkillUse("go_to"), "line_up": SkillUse("dock")}
    assert list(body_of(file, "lefty", BASE).able(uses)) == ["drive"]
    with pytest.raises(ConfigError, match="lefty is of the kind base, and this driver is for the kind arm"):
        body_of(file, "lefty")
    file.write_text("name: panda\n")
    assert body_of(file, "panda").frames.tool == "panda_hand_tcp"


@pytest.mark.parametrize("body", ["", "body: {reach: [0.2, 0.6]}\n"])
def test_nothing_drives_an_arm_of_which_nobody_says_what_hand_it_has(tmp_path, body):
    file = tmp_path / "lefty_slow.yaml"
    file.write_text("name: lefty\n" + body)
    with pytest.raises(ConfigError, match="no .*hand: give it under 'body', here or in config/robots/lefty"):
        body_of(file, "lefty")


@pytest.mark.parametrize(("body", "message"), [
    ("{hand: {opening: 0.1}}", "body.hand: the key 'depth' is missing"),
    ("{kind: leg}", "body.kind: 'leg' is not one of: arm, base"),
    ("{hand: {openning: 0.1}}", "body.hand.openning: unknown key 'openning'.*did you mean 'opening'"),
    ("{skills: [grab]}", "body.skills.0: unknown skill 'grab'; valid are: pick, place"),
    ("{kind: arm, skills: [dock]}", "the skill 'dock' is one of the kind base, and this is of the kind arm"),
])
def test_what_no_robot_can_be_is_refused(tmp_path, body, message):
    file = tmp_path / "robot.yaml"
    file.write_text(f"name: robot\nbody: {body}\n")
    with pytest.raises(ConfigError, match=message):
        read_body(file)


def test_every_file_of_the_workspace_is_right(config_dir):
    for kind in ("domains", "policies", "llm", "scenes"):
        for file in sorted((config_dir / kind).glob("*.yaml")):
            check_file(file)


def test_a_module_that_is_no_python_is_named(plugin):
    plugin("own_broken", "def extend(:")
    with pytest.raises(ConfigError, match="names 'own_broken', which cannot be imported: invalid syntax"):
        extensions()
