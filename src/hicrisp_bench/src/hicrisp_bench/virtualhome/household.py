"""A home of our own in VirtualHome's graph format, and the ten household tasks of HiCRISP and
BrainBody-LLM in it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Sequence, Tuple

from hicrisp_core.errors import ConfigError

from hicrisp_bench.virtualhome import package
from hicrisp_bench.virtualhome.facts import VirtualHome


@dataclass(frozen=True)
class Wanted:
    """A condition of a goal in the domain's language: at the end, or (``once``) at some moment of the run."""

    condition: str
    once: bool = False


@dataclass(frozen=True)
class Ending:
    """One way in which a task may end well.

    Args:
        wanted: the goal's conditions.
        reference: commands that end so, as ``find sofa_60``; PSR and precision compare with the state after them.
    """

    wanted: Tuple[Wanted, ...]
    reference: Tuple[str, ...]


@dataclass(frozen=True)
class HouseholdTask:
    """A task with every ending that counts.

    Args:
        text: the papers' words.
    """

    name: str
    text: str
    endings: Tuple[Ending, ...]


def load_home(folder: Path) -> Any:
    """The home's graph.

    Raises:
        ConfigError: when the file is missing or no graph.
    """
    file = folder / "scenes" / "household.json"
    try:
        content: Dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return package.part("environment").EnvironmentGraph(content)
    except (OSError, ValueError, KeyError) as error:
        raise ConfigError(f"{file} holds no home: {error!r}") from error


def everything(graph: Any) -> Tuple[int, ...]:
    """The numbers of all nodes but the person's."""
    return tuple(node.id for node in graph.get_nodes() if node.class_name != "character")


def person(graph: Any) -> int:
    """The number of the person who acts."""
    return int(next(node.id for node in graph.get_nodes() if node.class_name == "character"))


def world_of(domain: Any, graph: Any) -> VirtualHome:
    """The home with everything in it seen."""
    return VirtualHome(domain, graph, person(graph), everything(graph))


def _ending(wanted: Sequence[str], *reference: str, once: Sequence[str] = ()) -> Ending:
    return Ending((*(Wanted(text) for text in wanted), *(Wanted(text, once=True) for text in once)), reference)


def _watched(tv: str) -> Ending:
    return _ending([f"switched_on({tv})", f"same_room(character, {tv})"], f"find {tv}", f"switchon {tv}",
                   f"turnto {tv}", f"watch {tv}")


def _washed(plate: str, sink: str, faucet: str, put: str) -> Ending:
    return _ending(
        [f"inside({plate}, {sink}) or on({plate}, {sink})", f"switched_off({faucet})"], f"find {plate}",
        f"grab {plate}", f"find {sink}", f"{put} {plate} {sink}", f"find {faucet}", f"switchon {faucet}",
        f"wash {plate}", f"switchoff {faucet}", once=[f"switched_on({faucet})"])


def _brought(table: str, cupcake: str) -> Ending:
    return _ending([f"on(coffeepot_23, {table})", f"on({cupcake}, {table})"], "find coffeepot_23",
                   "grab coffeepot_23",
                   f"find {cupcake}", f"grab {cupcake}", f"find {table}", f"putback coffeepot_23 {table}",
                   f"putback {cupcake} {table}")


def _brushed(put: str) -> Ending:
    return _ending(
        ["holding(character, toothbrush_43)",
         "inside(toothpaste_44, toothbrush_43) or on(toothpaste_44, toothbrush_43)"],
        "find toothpaste_44", "grab toothpaste_44", "find toothbrush_43", "grab toothbrush_43",
        f"{put} toothpaste_44 toothbrush_43")


def _toasted(bread: str) -> Ending:
    return _ending(["switched_off(toaster_24)"], f"find {bread}", f"grab {bread}", "find toaster_24",
                   f"putin {bread} toaster_24", "switchon toaster_24", "switchoff toaster_24",
                   once=[f"inside({bread}, toaster_24) and switched_on(toaster_24)"])


TASKS: Tuple[HouseholdTask, ...] = (
    HouseholdTask("chips", "eat chips on the sofa", (_ending(
        ["holding(character, chips_11)", "on(character, sofa_60)", "sitting(character)"], "find chips_11",
        "grab chips_11", "find sofa_60", "sit sofa_60", "eat chips_11"),)),
    HouseholdTask("salmon", "put salmon in the fridge", (_ending(
        ["inside(salmon_14, fridge_12)", "closed(fridge_12)"], "find salmon_14", "grab salmon_14",
        "find fridge_12",
        "open fridge_12", "putin salmon_14 fridge_12", "close fridge_12"),)),
    HouseholdTask("tv", "watch TV", (_watched("television_63"), _watched("television_28"))),
    HouseholdTask("plate", "wash the plate", tuple(
        _washed(plate, *basin, put) for plate in ("plate_20", "plate_21")
        for basin in (("sink_16", "faucet_17"), ("sink_41", "faucet_42"))
        for put in ("putback", "putin"))),
    HouseholdTask("coffeepot", "bring coffeepot and cupcake to the coffee table", tuple(
        _brought(table, cupcake) for table in ("coffeetable_54", "coffeetable_61")
        for cupcake in ("cupcake_52", "cupcake_53"))),
    HouseholdTask("microwave", "microwave salmon", (_ending(
        [], "find salmon_14", "grab salmon_14", "find microwave_13", "open microwave_13",
        "putin salmon_14 microwave_13", "close microwave_13", "switchon microwave_13",
        once=["inside(salmon_14, microwave_13) and switched_on(microwave_13)"]),)),
    HouseholdTask("light", "turn off light", tuple(
        _ending([f"switched_off({switch})"], f"find {switch}", f"switchoff {switch}")
        for switch in ("lightswitch_57", "lightswitch_67", "lightswitch_32", "lightswitch_47"))),
    HouseholdTask("teeth", "brush teeth", tuple(_brushed(put) for put in ("pour", "putback", "putin"))),
    HouseholdTask("apple", "throw away apple", tuple(
        _ending([f"inside({apple}, garbagecan_27)"], f"find {apple}", f"grab {apple}", "find garbagecan_27",
                "open garbagecan_27", f"putin {apple} garbagecan_27", "close garbagecan_27")
        for apple in ("apple_64", "apple_65"))),
    HouseholdTask("toast", "make toast", (_toasted("breadslice_25"), _toasted("breadslice_26"))),
)
