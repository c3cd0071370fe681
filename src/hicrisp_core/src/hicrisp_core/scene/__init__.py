"""Scenes: what stands on the table at the beginning, and what is meant to go wrong."""

from hicrisp_core.scene.loader import domain_of, load_scene
from hicrisp_core.scene.scene import Scene, SceneCamera, SceneFault

__all__ = ["Scene", "SceneCamera", "SceneFault", "domain_of", "load_scene"]
