"""Scenes: what stands on the table at the beginning, and what is meant to go wrong."""

from hicrisp_core.scene.loader import domain_of, load_scene
from hicrisp_core.scene.scene import Camera, Scene, SceneFault

__all__ = ["Camera", "Scene", "SceneFault", "domain_of", "load_scene"]
