"""What must hold in a launch file, for every branch of it: nothing that it names may be missing."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Mapping, Optional, Set, Tuple

from .elements import BrokenXml, Element, read
from .packages import ELSEWHERE, Arguments, Package, arguments_of
from .substitution import UNKNOWN, Scope

ATTRIBUTES: Dict[str, Tuple[str, ...]] = {
    "launch": ("deprecated",),
    "arg": ("name", "default", "value", "doc"),
    "include": ("file", "ns", "clear_params", "pass_all_args"),
    "group": ("ns", "clear_params"),
    "node": ("pkg", "type", "name", "args", "machine", "respawn", "respawn_delay", "required", "ns",
             "clear_params",
             "output", "cwd", "launch-prefix"),
    "test": ("pkg", "type", "name", "args", "ns", "clear_params", "cwd", "launch-prefix", "test-name",
             "time-limit",
             "retry"),
    "param": ("name", "value", "type", "textfile", "binfile", "command"),
    "rosparam": ("command", "file", "param", "ns", "subst_value"),
    "remap": ("from", "to"),
    "env": ("name", "value"),
    "machine": ("name", "address", "env-loader", "default", "user", "password", "timeout"),
}
_NEEDED: Dict[str, Tuple[str, ...]] = {
    "arg": ("name",), "include": ("file",), "node": ("pkg", "type", "name"),
    "test": ("pkg", "type", "test-name"),
    "param": ("name",), "remap": ("from", "to"), "env": ("name", "value"),
}
_WRITTEN = "../../logs/"
"""Where files are that a launch file has written before it reads them."""
_FILES = {("include", "file"), ("rosparam", "file"), ("param", "textfile"), ("param", "binfile")}
_CONFIG = re.compile(r"name of one in config/(\w+)")
_DEPTH = 20


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that is wrong, and where."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


@dataclass
class Report:
    """What a look at a launch file and at everything that it includes has found."""

    problems: Set[Problem] = field(default_factory=set)
    packages: Set[str] = field(default_factory=set)
    """Those that are needed: with the arguments as they are, or in every branch."""
    every_branch: bool = False


class Checker:
    """Looks at launch files of a tree.

    Args:
        packages: those that may be named.
        config: the folder whose files are meant by "name of one in config/...".
    """

    def __init__(self, packages: Dict[str, Package], config: Optional[Path] = None) -> None:
        self.packages = packages
        self.config = config

    def check(self, path: Path, arguments: Optional[Mapping[str, str]] = None, documented: bool = False,
              every_branch: bool = False) -> Report:
        """Look at a file and at what it includes.

        Args:
            path: the launch file.
            arguments: values that are passed to it.
            documented: every <arg> must have a doc.
            every_branch: packages count also where the arguments switch them off.
        """
        report = Report(every_branch=every_branch)
        self._file(path, dict(arguments or {}), report, True, documented, 0)
        return report

    def _file(self, path: Path, passed: Dict[str, str], report: Report, active: bool, documented: bool,
              depth: int) -> None:
        try:
            root = read(path)
        except BrokenXml as error:
            report.problems.add(Problem(str(path), error.line, f"this is no XML: {error}"))
            return
        visit = _Visit(self, Scope(self.packages, path), passed, report, documented, depth)
        if root.tag != "launch":
            visit.complain(root, f"the root is <{root.tag}>; <launch> was expected")
        visit.children(root, active)

    def include(self, path: Path, passed: Dict[str, str], report: Report, active: bool, depth: int) -> None:
        """Look into an included file with the arguments that it gets."""
        if depth < _DEPTH:
            self._file(path, passed, report, active, False, depth)


class _Visit:
    """One walk through one file."""

    def __init__(self, checker: Checker, scope: Scope, passed: Dict[str, str], report: Report,
                 documented: bool,
                 depth: int) -> None:
        self._checker, self._scope, self._passed = checker, scope, passed
        self._report, self._documented, self._depth = report, documented, depth

    def complain(self, element: Element, message: str) -> None:
        self._report.problems.add(Problem(str(self._scope.file), element.line, message))

    def children(self, element: Element, active: bool) -> None:
        for child in element.children:
            if child.tag not in ATTRIBUTES or child.tag == "launch":
                self.complain(child, f"unknown tag <{child.tag}>; there are: {', '.join(sorted(ATTRIBUTES))}")
                continue
            self._attributes(child)
            there = self._condition(child)
            self._element(child, active and (there is not False or self._report.every_branch), there)

    def _attributes(self, element: Element) -> None:
        valid = ATTRIBUTES[element.tag] + ("if", "unless")
        for name in element.attributes:
            if name not in valid:
                self.complain(element,
                              f"<{element.tag}> has no attribute '{name}'; there are: {', '.join(valid)}")
        for name in _NEEDED.get(element.tag, ()):
            if not element.attributes.get(name):
                self.complain(element, f"<{element.tag}> lacks the attribute '{name}'")

    def _condition(self, element: Element) -> Optional[bool]:
        """Whether the element counts; ``None`` where only the start knows."""
        for name, wanted in (("if", ("true", "1")), ("unless", ("false", "0"))):
            if name in element.attributes:
                value = self._resolve(element, element.attributes[name]).lower()
                if value in ("true", "1", "false", "0"):
                    return value in wanted
                if UNKNOWN not in value:
                    self.complain(element, f"{name}=\"{element.attributes[name]}\" is '{value}'; "
                                           "true or false was expected")
                return None
        return True

    def _resolve(self, element: Element, text: str) -> str:
        value, problems = self._scope.resolve(text)
        for problem in problems:
            self.complain(element, problem)
        return value

    def _element(self, element: Element, active: bool, there: Optional[bool]) -> None:
        values = {name: self._resolve(element, text) for name, text in element.attributes.items()
                  if name not in ("if", "unless", "doc")}
        text = self._resolve(element, element.text.strip())
        for name, value in [*values.items(), ("", text)]:
            self._paths(element, name, value, active)
        if element.tag == "arg":
            self._argument(element, values, there)
        elif element.tag == "include":
            again = Path(values.get("file", "")).resolve() == self._scope.file.resolve()
            if there is not False or not again:  # A file that includes itself ends where its condition says so.
                self._include(element, values, active)
        elif element.tag in ("node", "test"):
            self._program(element, values, active)
        if element.tag != "include":
            self.children(element, active)

    def _argument(self, element: Element, values: Dict[str, str], there: Optional[bool]) -> None:
        name, doc = values.get("name", ""), element.attributes.get("doc", "")
        if self._documented and not doc.strip():
            self.complain(element, f"<arg name=\"{name}\"> has no doc")
        if "default" in values and "value" in values:
            self.complain(element,
                          f"<arg name=\"{name}\"> has a default and a value; one of them was expected")
        own = values.get("value", values.get("default", UNKNOWN))
        config = _CONFIG.search(doc)
        if config and self._checker.config and "default" in values:
            self._configuration(element, config.group(1), values["default"], doc)
        if there is not False:
            self._scope.arguments[name] = self._passed.get(name, own) if there else UNKNOWN

    def _configuration(self, element: Element, kind: str, name: str, doc: str) -> None:
        """A default that names a file of config/ must name one that is there; the doc explains other
        words.
        """
        assert self._checker.config is not None
        names = sorted(file.stem for file in (self._checker.config / kind).glob("*.yaml"))
        if name and "/" not in name and UNKNOWN not in name and f"{name}:" not in doc and name not in names:
            self.complain(element, f"no '{name}' in config/{kind}; there are: {', '.join(names)}")

    def _paths(self, element: Element, attribute: str, value: str, active: bool) -> None:
        """Every file that is meant must be there: those of file attributes, and words that end in a file's
        name.
        """
        for word in value.split():
            path = word.split(":=")[-1].split("=")[-1]
            package, rest = self._package_of(path)
            if package is not None and active and package.folder is None:
                self._report.packages.add(package.name)
            is_file = (element.tag, attribute) in _FILES
            if is_file and package is None:
                if UNKNOWN not in path and not Path(path).exists():
                    self.complain(element, f"there is no file {path}")
            elif package is not None and rest and (is_file or "." in rest.rsplit("/", 1)[-1].strip(".")) \
                    and not rest.startswith(_WRITTEN) and not package.matches(rest):
                self._missing_file(element, package, rest)

    def _missing_file(self, element: Element, package: Package, rest: str) -> None:
        folder = rest.rsplit("/", 1)[0] if "/" in rest else ""
        near = [found[len(package.root) + 1:] for found in package.matches(f"{folder}/*" if folder else "*")]
        where = (f"{package.name} has there: {', '.join(near)}" if near
                 else f"{package.name} has nothing there")
        self.complain(element, f"there is no file {rest} in {package.name}; {where}")

    def _package_of(self, path: str) -> Tuple[Optional[Package], str]:
        for package in self._checker.packages.values():
            if path == package.root or path.startswith(package.root + "/"):
                return package, path[len(package.root) + 1:]
        return None, ""

    def _include(self, element: Element, values: Dict[str, str], active: bool) -> None:
        given: Dict[str, str] = {}
        for child in element.children:
            if child.tag not in ("arg", "env"):
                self.complain(child, f"<{child.tag}> inside <include>; there are: arg, env")
            self._attributes(child)
            there = self._condition(child)
            if child.tag == "arg" and there is not False:
                text = child.attributes.get("value", child.attributes.get("default", ""))
                given[child.attributes.get("name", "")] = self._resolve(child, text) if there else UNKNOWN
        everything = values.get("pass_all_args", "false").lower() in ("true", "1")
        passed = {**self._scope.arguments, **given} if everything else given
        package, rest = self._package_of(values.get("file", ""))
        for target in package.matches(rest) if package else [values.get("file", "")]:
            taken = self._taken(target, package)
            if taken is None:
                continue
            self._compare(element, Path(target).name, taken, set(given), set(passed), everything)
            if not target.startswith(ELSEWHERE):
                self._checker.include(Path(target), passed, self._report, active, self._depth + 1)

    def _taken(self, target: str, package: Optional[Package]) -> Optional[Arguments]:
        if package is not None and package.folder is None:
            return package.launch.get(Path(target).name)
        return arguments_of(Path(target)) if Path(target).is_file() else None

    def _compare(self, element: Element, target: str, taken: Arguments, given: Set[str], passed: Set[str],
                 everything: bool) -> None:
        valid = f"it takes: {', '.join(sorted(taken.all)) or 'none'}"
        for name in sorted(given & taken.fixed):
            self.complain(element, f"{target} has a value of its own for '{name}'; {valid}")
        for name in sorted(given - taken.all - taken.fixed) if not everything else ():
            self.complain(element, f"{target} has no argument '{name}'; {valid}")
        for name in sorted(taken.required - passed):
            self.complain(element, f"{target} needs the argument '{name}', which is not passed; {valid}")

    def _program(self, element: Element, values: Dict[str, str], active: bool) -> None:
        name, program = values.get("pkg", ""), values.get("type", "")
        if not name or not program or UNKNOWN in name + program:
            return
        package = self._checker.packages.get(name)
        if package is None:
            known = ", ".join(sorted(self._checker.packages))
            self.complain(element,
                          f"no package '{name}' here nor in noetic_packages.yaml; there are: {known}")
            return
        if active:
            self._report.packages |= {name,
                                      *(package.depends if package.folder and element.tag == "node" else ())}
        if program not in package.executables:
            valid = ", ".join(sorted(package.executables)) or "none"
            self.complain(element, f"{name} has no executable '{program}'; there are: {valid}")
        elif (element.tag == "node" and package.folder and program not in package.installed
              and self._documented):
            self.complain(element, f"{name} does not install '{program}': name it in catkin_install_python")
