"""Which language models are asked and how: files of ``config/llm``."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from copy import deepcopy
from dataclasses import asdict, field, make_dataclass, replace
from functools import partial
from pathlib import Path as FilePath
from typing import Any, Dict, Mapping, Optional, Set, Tuple, Union
from urllib.parse import urlparse

from annotated_types import Ge, Le
from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt
from pydantic.dataclasses import dataclass
from typing_extensions import Annotated, Final, Literal

from hicrisp_core.config.files import config_file
from hicrisp_core.config.settings import STRICT, check_keys, read_settings
from hicrisp_core.config.yaml_files import Path, Positions, read_yaml
from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import extensions
from hicrisp_core.llm.answers import TRIAL, holds_answers
from hicrisp_core.llm.embedded_files import what_is_missing
from hicrisp_core.trace.exchanges import read_exchanges

AUTO = "auto"
OFFLINE: Final = "offline"
EMBEDDED: Final = "embedded"
OPENAI: Final = "openai"
KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"
OWN_URL_VARIABLE = "HICRISP_LLM_BASE_URL"
"""Goes before OPENAI_BASE_URL, for a machine where that one serves other programs."""
OWN_MODEL_VARIABLE = "HICRISP_LLM_MODEL"
REPLAY: Final = "replay"
"""Stands before the file of a recorded run in place of the name of a configuration: ``replay:FILE``."""
GOAL = "goal"
BRAIN = "brain"
BODY = "body"
ALEX = "alex"
TRAVI = "travi"
ROPA = "ropa"
CORRECTOR = "corrector"
VISION = "vision"
WITNESS = "witness"
ROLES = (GOAL, BRAIN, BODY, ALEX, TRAVI, ROPA, CORRECTOR, VISION, WITNESS)
"""Words to a goal; plans; steps to commands; CoPAL's agents for talk, specification and plans; corrections
within a step; what pictures show; whether they show a goal, which is the model of ``vision`` unless said otherwise.
"""
Retries = Annotated[int, Ge(0), Le(10)]
Share = Annotated[float, Ge(0.0), Le(1.0)]
_REMOVED = {
    "goal_prompt": "config/prompts/goal serves every model; only_goals: true is for one trained to write goals",
    "read_back": "a model's goal stands, and ask_below asks the user where it is in doubt",
}
"""Keys of earlier releases, with what replaces each."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


@dataclass(frozen=True, config=STRICT)
class LlmSettings:
    """How a model is asked.

    Args:
        name: name of the configuration; the same as its file's.
        backend: ``openai`` for any chat-completions endpoint, ``offline`` for no model, or a registered one.
        options: what a registered backend takes beside the keys here. A path that begins with ``./`` or ``../``
            is seen from the file's own folder, here and in the other keys that name files.
        model: the model's name; the variable HICRISP_LLM_MODEL goes before it where no ``base_url`` is given.
            ``${NAME}`` stands for an environment variable here and in ``base_url``, ``${NAME:-usual}`` for
            one that need not be set.
        base_url: the endpoint; empty for the variable HICRISP_LLM_BASE_URL or OPENAI_BASE_URL, or OpenAI's
            own.
        api_key_env: the environment variable that holds the key; empty for OPENAI_API_KEY where no
            ``base_url`` is given and for no key where one is, so that OpenAI's key is sent nowhere else
            unasked.
        api_key_file: a file of mode 0600 that holds the key; goes before the variable.
        key_header: the header that carries the key, where it is not ``Authorization``.
        query: what stands behind the ``?`` of every request, such as Azure's ``api-version``.
        timeout_s: wall seconds for one request.
        retries: further attempts after a failure that may pass.
        response_format: ``auto`` (JSON schema, then JSON, then plain text, as the server takes it),
            ``json_schema``, ``json_object`` or ``none``.
        seed: of the model's sampling, where the server has one.
        only_goals: whether it was trained to write goals and makes no plans: a search plans, whatever brain the
            policy names.
        ask_below: a goal that the model finds less likely than this, 0 to 1, is said back to the user as a
            question; 0 for never. The endpoint must tell its tokens' probabilities.
        budget_calls: requests that the client may send in its life; 0 for no bound. Tasks have their own
            budgets.
        budget_tokens: tokens that it may use; 0 for no bound.
        cache: answers at temperature 0 that are kept, so that the very same question costs no second call;
            0 to ask each time.
        probe: whether the endpoint is asked at the start what it can.
        record: file to which every exchange is appended, beside the run's own ``llm.jsonl``.
        replay: such a file, or a suite's ``answers.json`` or a folder of these, from which exchanges are
            answered instead of asking; nothing goes over the network.
        roles: other settings for single roles, as they are after reading.
        temperature: of the model's sampling; ``null`` leaves it out of the request, for models that reason and
            take none.
        max_tokens: longest answer, with what the model thinks before it.
        reasoning_effort: how long a model thinks before it answers (``none``, ``minimal``, ``low``, ...); empty
            for the endpoint's default.
        extra_body: further keys of every request, such as vLLM's ``chat_template_kwargs``.
    """

    name: str = ""
    backend: str = OPENAI
    model: str = "gpt-4o-mini"
    base_url: str = ""
    api_key_env: str = ""
    api_key_file: str = ""
    key_header: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    temperature: Optional[NonNegativeFloat] = 0.0
    seed: Optional[int] = None
    max_tokens: PositiveInt = 8192
    reasoning_effort: str = ""
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    timeout_s: PositiveFloat = 60.0
    retries: Retries = 2
    response_format: Literal["auto", "json_schema", "json_object", "none"] = "auto"
    only_goals: bool = False
    ask_below: Share = 0.0
    budget_calls: NonNegativeInt = 0
    budget_tokens: NonNegativeInt = 0
    cache: NonNegativeInt = 64
    probe: bool = True
    record: str = ""
    replay: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    roles: Mapping[str, Any] = field(default_factory=dict)

    def of_role(self, role: str) -> "LlmSettings":
        """Return how the model of a role is asked.

        Args:
            role: ``goal``, ``brain``, ``corrector``, ``body`` or one of CoPAL's agents.

        Returns:
            The role's own settings, else these.
        """
        found = self.roles.get(role) or (self.roles.get(VISION) if role == WITNESS else None)
        return found if isinstance(found, LlmSettings) else self

    @property
    def testifies(self) -> bool:
        """Whether a model is asked from pictures whether goals hold."""
        return any(role in self.roles for role in (VISION, WITNESS)) and not self.of_role(WITNESS).offline

    @property
    def offline(self) -> bool:
        """Whether no model is asked."""
        return self.backend == OFFLINE

    @property
    def url(self) -> str:
        """The endpoint; empty for the package's own default."""
        own, usual = (os.environ.get(name, "") for name in (OWN_URL_VARIABLE, URL_VARIABLE))
        return _filled(self.base_url) or own or usual

    @property
    def model_name(self) -> str:
        """The model that is asked for."""
        own = "" if self.base_url else os.environ.get(OWN_MODEL_VARIABLE, "")
        return own or _filled(self.model)

    def of_trial(self, key: str) -> "LlmSettings":
        """Return the settings for one trial of a suite.

        Args:
            key: the trial's name among those of its suite.

        Returns:
            The same, but for recorded answers: those of this trial.
        """
        return replace(self, replay=f"{self.replay}{TRIAL}{key}") if holds_answers(self.replay) else self

    @property
    def own(self) -> bool:
        """Whether its model costs nothing and nothing leaves the machine: none at all, the embedded one, or
        an endpoint on the loopback address.
        """
        host = urlparse(self.url).hostname or ""
        return self.offline or self.backend == EMBEDDED or bool(self.replay) or host in _LOOPBACK

    @property
    def unset(self) -> Tuple[str, ...]:
        """The environment variables that the endpoint or the model needs and that are not set."""
        return tuple(name for text in (self.base_url, self.model) for name, usual in _VARIABLE.findall(text)
                     if not usual and not os.environ.get(name))

    @property
    def key_variable(self) -> str:
        """The environment variable that may hold the key; empty where no key is sent."""
        return self.api_key_env or ("" if self.base_url else KEY_VARIABLE)

    @property
    def api_keys(self) -> Tuple[str, ...]:
        """The keys of all roles, as far as they can be read: what reaches no event or report."""
        found: Set[str] = set()
        for each in (self, *(role for role in self.roles.values() if isinstance(role, LlmSettings))):
            with suppress(ConfigError):  # The model that it is for says so.
                found.add(each.api_key())
        return tuple(sorted(filter(None, found)))

    def api_key(self) -> str:
        """The key, or empty where none is configured.

        Raises:
            ConfigError: when the key's file can be read by others or not at all.
        """
        if not self.api_key_file:
            return os.environ.get(self.key_variable, "").strip() if self.key_variable else ""
        path = FilePath(self.api_key_file).expanduser()
        try:
            mode = stat.S_IMODE(path.stat().st_mode)
            if mode & 0o077:
                raise ConfigError(f"{path} has mode {mode:04o}, so others may read the key; run: chmod 600 "
                                  f"{path}")
            return path.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise ConfigError(f"cannot read the key's file {path}: {error.strerror}") from error


def _filled(text: str) -> str:
    """A text with the environment's values for the variables in it."""
    return _VARIABLE.sub(lambda found: os.environ.get(found.group(1)) or found.group(2) or "", text)


def load_llm_settings(file: Union[str, FilePath]) -> LlmSettings:
    """Read and check a file of ``config/llm``; ``replay:FILE`` answers from a recorded run.

    Args:
        file: path of the YAML file, or ``replay:FILE``.

    Returns:
        The settings.

    Raises:
        ConfigError: for an unknown key, value or role, with the file, the line and the valid ones.
    """
    if not is_replay(str(file)):
        return _loaded(FilePath(file), roles=True)
    path = FilePath(str(file).partition(":")[2]).expanduser()
    if not path.exists():
        raise ConfigError(f"there is no recording {path}; give the whole path of a run's llm.jsonl, or of "
                          "the run's folder")
    usual = LlmSettings(REPLAY, replay=str(path))
    if holds_answers(str(path)):
        return usual
    asked = [(each, replace(usual, only_goals=each.only_goals, ask_below=each.ask_below))
             for each in read_exchanges(path)]
    roles: Dict[str, Any] = {each.role: settings for each, settings in asked}
    if asked and not asked[0][0].plans:
        roles[BRAIN] = LlmSettings(REPLAY, backend=OFFLINE)
    return replace(asked[0][1] if asked else usual, roles=roles)


def is_replay(name: str) -> bool:
    """Check whether a name asks for the answers of a recorded run: ``replay:FILE``.

    Args:
        name: value of ``--llm``.

    Returns:
        Whether it begins with ``replay:``.
    """
    return name.partition(":")[:2] == (REPLAY, ":")


def _loaded(file: FilePath, roles: bool) -> LlmSettings:
    values, positions = read_yaml(file)
    settings = _read(values, positions, (), None)
    found: Dict[str, Any] = {}
    if roles:
        for role, value in check_keys(dict(settings.roles), ROLES, (), positions, ("roles",)).items():
            if isinstance(value, str):  # The name of another file; else keys that go before those of the whole file.
                found[role] = _loaded(config_file("llm", value, beside=file), roles=False)
                continue
            own, usual = [key for key in vars(settings) if key not in ("name", "roles")], settings
            check_keys(value, own, (), positions, ("roles", role), _REMOVED)
            if "base_url" in value or "backend" in value:  # A key goes to no other endpoint unasked.
                usual = replace(usual, api_key_env="", api_key_file="", key_header="", query={}, extra_body={})
            found[role] = _read(value, positions, ("roles", role), usual)
    return replace(settings, roles=found)


def _read(
    values: Mapping[str, Any], positions: Positions, path: Path, base: Optional[LlmSettings]
) -> LlmSettings:
    settings = read_settings(
        LlmSettings, values, positions, path, required=("llm", "backend") if base is None else (),
        others=("description",), renamed={"name": "llm"}, base=base,
        removed=_REMOVED)
    backends = extensions().backends
    if not settings.offline and settings.backend not in backends:
        raise positions.error((*path, "backend"),
                              f"{backends.unknown(settings.backend)}, or {OFFLINE} for no model")
    usual = {} if settings.offline else dict(backends.get(settings.backend).options)
    if base is not None and base.backend == settings.backend:
        usual = {**usual, **base.options}
    kind = make_dataclass("Options", [(key, type(default), field(default_factory=partial(deepcopy, default)))
                                      for key, default in usual.items()],
                          frozen=True, namespace={"__pydantic_config__": STRICT})
    options = asdict(read_settings(kind, values.get("options", {}), positions, (*path, "options")))
    files = {name: _whole(vars(settings)[name], positions) for name in ("api_key_file", "record", "replay")}
    return replace(settings, options={name: _whole(value, positions) for name, value in options.items()}, **files)


def _whole(value: Any, positions: Positions) -> Any:
    """Return a path that begins with a dot as seen from its file's folder: nodes run in folders of their own."""
    if isinstance(value, str) and value.startswith(("./", "../")):
        return str((FilePath(positions.file).parent / value).resolve())
    return value


def choose_llm(asked: str, environment: Mapping[str, str], embedded: bool = True) -> Tuple[str, str]:
    """Choose a configuration of ``config/llm``.

    Args:
        asked: name or file that the user asked for; empty or ``auto`` for the default.
        environment: variables with keys and addresses.
        embedded: whether the embedded model may be used if there is no endpoint.

    Returns:
        The name and the reason in words.
    """
    if asked and asked != AUTO:
        return asked, "as you asked"
    for variable in (KEY_VARIABLE, OWN_URL_VARIABLE, URL_VARIABLE):
        if environment.get(variable):
            return OPENAI, f"{variable} is set: a language model plans"
    why = f"neither {KEY_VARIABLE} nor {URL_VARIABLE} is set"
    if not embedded:
        return OFFLINE, f"{why}: controlled English is read, a search plans"
    try:
        options = load_llm_settings(config_file("llm", EMBEDDED)).options
        missing = what_is_missing(str(options["package"]), str(options["adapter"]))
    except ConfigError as error:
        missing = str(error)
    if not missing:
        return EMBEDDED, f"{why}: the embedded model says what is meant, a search plans"
    return OFFLINE, f"{why}, and {missing}: controlled English is read, a search plans"
