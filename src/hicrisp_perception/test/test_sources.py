"""What looks at a scene's images is the source that the scene names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import PLUGINS_VARIABLE, standard_extensions
from hicrisp_core.scene import Scene, load_scene
from hicrisp_perception.sources import open_source

SCENE = """scene: own
domain: tabletop
robots: [panda]
perception: NAME
objects:
  box: {type: box, size: [0.05, 0.05, 0.05], position: [0.45, 0.0]}
"""
SOURCE = """
from hicrisp_core.ports.kinds import PerceptionSource


class Own:
    def __init__(self, scene):
        self.resets = 0

    def forget(self):
        self.resets += 1


OPENED = []


def open(scene):
    OPENED.append(Own(scene))
    return OPENED[-1]


def extend(extensions):
    return extensions.adding(sources={"own_source": PerceptionSource(open)})
"""


def scene(tmp_path: Path, name: str) -> Scene:
    (tmp_path / "own.yaml").write_text(SCENE.replace("NAME", name))
    return load_scene(tmp_path / "own.yaml")


def test_every_source_of_the_workspace_is_there() -> None:
    for name in standard_extensions().sources:
        standard_extensions().sources.get(name)


def test_one_file_and_one_line_make_a_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_perception_source.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv(PLUGINS_VARIABLE, "own_perception_source")
    open_source(scene(tmp_path, "own_source")).forget()
    from own_perception_source import OPENED  # type: ignore[import-not-found]
    assert [each.resets for each in OPENED] == [1]


def test_an_unknown_source_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"own.yaml:4: perception: unknown perception source 'shaped' "
                                          r"\(did you mean 'shapes'\?\); valid are: shapes, tags"):
        scene(tmp_path, "shaped")


def test_tags_alone_need_tags(tmp_path: Path) -> None:
    bare = scene(tmp_path, "tags")
    with pytest.raises(ConfigError, match="those of the scene 'own' wear none; write 'tags: true'"):
        open_source(bare)
    assert open_source(replace(bare, tags=True))
