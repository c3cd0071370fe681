"""The body that a policy names."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Union

from hicrisp_core.body.decoder import ActionDecoder, DirectBody
from hicrisp_core.body.model_body import ModelBody
from hicrisp_core.domain.schema import Domain
from hicrisp_core.llm.models import Models, can_be_asked
from hicrisp_core.llm.settings import BODY, LlmSettings
from hicrisp_core.policy.policy import MODEL, SIMILAR
from hicrisp_core.ports.body import Body
from hicrisp_core.prompting.templates import Prompts


def make_body(
    kind: str, domain: Domain, decoder: ActionDecoder,
    llm: Union[LlmSettings, Models, None] = None, prompts: Union[str, FilePath] = "",
) -> Body:
    """Create the body of a kind.

    Without a language model, or with one that only makes goals, the body ``model`` is the direct one: the
    search names the actions of its steps itself. :func:`without_model` says so.

    Args:
        kind: ``direct``, ``model`` or ``similar``.
        domain: types, predicates and actions of the application.
        decoder: gives commands their target.
        llm: the models of a process, or what a file of ``config/llm`` says; the body ``model`` asks one.
        prompts: the folder of the policy's prompts.

    Returns:
        The body.

    Raises:
        ConfigError: when the body ``similar`` lacks its embedding, or the prompts are wrong.
    """
    if kind == SIMILAR:
        from hicrisp_core.body.similar_body import SimilarBody, wordllama_embedder  # an optional package

        return SimilarBody(domain, decoder, wordllama_embedder())
    models = Models.of_settings(llm) if llm is not None else None
    if kind == MODEL and models is not None and not without_model(kind, models.settings):
        return ModelBody(models.of(BODY), domain, decoder, Prompts(prompts))
    return DirectBody(domain, decoder)


def without_model(kind: str, settings: LlmSettings) -> str:
    """Explain why the body ``model`` does not ask a language model.

    Args:
        kind: the body that the policy names.
        settings: the language model of the process.

    Returns:
        A clause for a warning; empty if it asks one, or need not.
    """
    settings = settings.of_role(BODY)
    if kind != MODEL or can_be_asked(settings) and not settings.only_goals:
        return ""
    why = "only makes goals" if can_be_asked(settings) else "has no endpoint"
    return f"the policy asks a language model, and {settings.name} {why}: steps are grounded directly"
