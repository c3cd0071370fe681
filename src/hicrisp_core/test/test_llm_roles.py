"""Files of ``config/llm``: endpoints, variables of the environment, and roles with models of their own."""

import pytest
from chat_server import ChatServer
from hicrisp_core.errors import ConfigError
from hicrisp_core.llm.client import ChatClient
from hicrisp_core.llm.settings import ROLES, LlmSettings, load_llm_settings
from hicrisp_core.time.deadline import Deadline

ASK = [{"role": "user", "content": "hello"}]
USUAL = "llm: a\nbackend: openai\nmodel: large\napi_key_env: MY_KEY\n"


@pytest.fixture
def load(tmp_path):
    def loaded(text, **others):
        for name, content in {"a": text, **others}.items():
            (tmp_path / "llm").mkdir(exist_ok=True)
            (tmp_path / "llm" / f"{name}.yaml").write_text(content)
        return load_llm_settings(tmp_path / "llm" / "a.yaml")
    return loaded


def test_a_role_has_its_own_keys_over_those_of_the_file(load):
    settings = load(USUAL + "timeout_s: 9\nroles:\n  body: {model: small, max_tokens: 50}\n")
    body = settings.of_role("body")
    assert (body.model, body.max_tokens, body.timeout_s, body.api_key_env) == ("small", 50, 9.0, "MY_KEY")
    assert settings.of_role("brain").model == "large"


def test_copals_agents_have_the_papers_models_and_temperature(config_dir, monkeypatch):
    monkeypatch.setenv("HICRISP_LLM_MODEL", "another")
    settings = load_llm_settings(config_dir / "llm" / "copal.yaml")
    agents = [settings.of_role(role) for role in ("alex", "travi", "ropa")]
    assert [agent.model for agent in agents] == ["gpt-3.5-turbo", "gpt-4", "gpt-4"]
    assert {agent.temperature for agent in agents} == {0.8}


def test_a_role_may_name_another_file(load):
    settings = load(USUAL + "roles: {goal: b}\n", b="llm: b\nbackend: openai\nmodel: tiny\n")
    assert (settings.of_role("goal").name, settings.of_role("goal").model) == ("b", "tiny")


def test_a_key_does_not_follow_a_role_to_another_endpoint(load):
    settings = load(USUAL + "roles: {alex: {base_url: 'http://127.0.0.1:1/v1'}}\n")
    assert settings.of_role("alex").key_variable == ""


@pytest.mark.parametrize(("roles", "message"), [
    ("{talker: {model: x}}",
     f"a.yaml:5: roles.talker: unknown key 'talker' .*valid are: {', '.join(sorted(ROLES))}"),
    ("{bdy: {model: x}}", r"unknown key 'bdy' \(did you mean 'body'\?\)"),
    ("{body: {modell: x}}", r"roles.body.modell: unknown key 'modell' \(did you mean 'model'\?\)"),
    ("{body: {timeout_s: 0}}", "roles.body.timeout_s: more than 0 is needed, got 0"),
    ("{body: {backend: claude}}", "roles.body.backend: unknown backend 'claude'; valid are"),
    ("{body: {roles: {}}}", "roles.body.roles: unknown key 'roles'"),
    ("{goal: {goal_prompt: x}}", "a.yaml:5: roles.goal.goal_prompt: the key 'goal_prompt' was removed: config/prompts"),
    ("{goal: {read_back: true}}", "roles.goal.read_back: the key 'read_back' was removed: .*ask_below"),
    ("{body: away}", "there is no 'away' in config/llm"),
    ("[body]", "a mapping was expected")])
def test_a_wrong_role_is_refused_with_the_valid_ones(load, roles, message):
    with pytest.raises(ConfigError, match=message):
        load(USUAL + f"roles: {roles}\n")


def test_an_endpoint_may_be_named_by_a_variable(monkeypatch):
    settings = LlmSettings("t", base_url="${LAB_LLM:-http://127.0.0.1:1/v1}", model="${LAB_MODEL}")
    monkeypatch.delenv("LAB_LLM", raising=False)
    monkeypatch.setenv("LAB_MODEL", "qwen")
    assert (settings.url, settings.model_name) == ("http://127.0.0.1:1/v1", "qwen")
    monkeypatch.setenv("LAB_LLM", "http://lab:2/v1")
    assert settings.url == "http://lab:2/v1"


def test_a_variable_that_is_not_set_is_named(monkeypatch):
    monkeypatch.delenv("LAB_LLM", raising=False)
    with pytest.raises(ConfigError, match="the environment variable LAB_LLM is not set.*export LAB_LLM="):
        ChatClient(LlmSettings("t", base_url="${LAB_LLM}/v1"))


def test_azures_form_of_a_request_is_a_matter_of_settings(monkeypatch, config_dir):
    with ChatServer("hi") as server:
        for name, value in {"AZURE_OPENAI_ENDPOINT": server.url.rpartition("/")[0],
                            "AZURE_OPENAI_API_KEY": "secret",
                            "AZURE_OPENAI_DEPLOYMENT": "mine"}.items():
            monkeypatch.setenv(name, value)
        assert ChatClient(load_llm_settings(config_dir / "llm" /
                                            "azure.yaml")).complete(ASK, Deadline(10)).text == "hi"
        classic = LlmSettings("t", base_url=f"{server.url}/openai/deployments/mine",
                              query={"api-version": "2024-10-21"}, key_header="api-key",
                              api_key_env="AZURE_OPENAI_API_KEY")
        ChatClient(classic).complete(ASK, Deadline(10))
    assert server.paths == ["/openai/v1/chat/completions",
                            "/v1/openai/deployments/mine/chat/completions?api-version=2024-10-21"]
    assert [(each.get("api-key"), each.get("authorization"))
            for each in server.headers] == [("secret", None)] * 2
    assert server.requests[0]["model"] == "mine"


@pytest.mark.parametrize("name", ["openai", "azure", "claude", "gemini", "vllm", "ollama", "llamacpp",
                                  "lmstudio"])
def test_no_shipped_file_holds_a_key_and_each_says_how_to_start(config_dir, name):
    text = (config_dir / "llm" / f"{name}.yaml").read_text()
    assert text.startswith("#")
    settings = load_llm_settings(config_dir / "llm" / f"{name}.yaml")
    assert settings.retries <= 2
    assert not settings.api_key_file
