"""One line for each part that the workspace needs: there or missing, and how to get it. Standard library
only.
"""
# ruff: noqa: T201  a command line prints

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import stat
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Callable, Dict, Iterator, List
from urllib.parse import urlsplit, urlunsplit

ROOT = Path(os.environ.get("HICRISP_ROOT") or Path(__file__).resolve().parents[2])
VENV = ROOT / ".venv" / "bin" / "python3"
NOETIC = os.environ.get("HICRISP_PLATFORM") == "noetic"
ROS_SETUP = Path(os.environ.get("HICRISP_ROS", "/opt/ros/noetic")) / "setup.bash"
MEND = "scripts/doctor --mend"
PORTS = {11311: "the ROS master", 8080: "the dashboard"}


@dataclass(frozen=True)
class Finding:
    """One part: ``state`` is ``ok``, ``missing`` (needed) or ``note`` (not needed, or only worth knowing)."""

    part: str
    state: str
    said: str
    mend: str = ""


def _run(command: List[str], seconds: float = 60.0, **environment: str) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False, cwd=ROOT,
                              env={**os.environ, **environment})
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 127, "", str(error))


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


def system() -> Iterator[Finding]:
    """The operating system and its packages."""
    try:
        fields = dict(re.findall(r'^(\w+)="?(.*?)"?$', Path("/etc/os-release").read_text(encoding="utf-8"),
                                 re.M))
    except OSError:
        fields = {}
    name = fields.get("PRETTY_NAME", sys.platform)
    if fields.get("VERSION_CODENAME") == "bookworm" or NOETIC:
        source = f"ROS Noetic from {ROS_SETUP.parent}" if NOETIC else "ROS from Debian"
        yield Finding("system", "ok", f"{name}, {source}")
    else:
        yield Finding("system", "missing", f"{name} is neither Debian 12 nor Ubuntu 20.04 with ROS Noetic",
                      "use the containers in docker/, or a Debian 12 machine")
    absent = os.environ.get("HICRISP_MISSING", "").split()
    command = "rosdep install --from-paths src --ignore-src -y" if NOETIC else \
        f"apt-get install -y --no-install-recommends {' '.join(absent)}"
    if absent:
        yield Finding("system packages", "missing", " ".join(absent), f"{MEND}, or as root: {command}")
    else:
        yield Finding("system packages", "ok", "all installed")


STACK = {  # Of what the manifests ask for, and nothing else.
    "MoveIt": ("moveit_commander", "panda_moveit_config"),
    "Gazebo": ("gazebo_ros", "gazebo_ros_control", "controller_manager", "franka_description"),
    "navigation": ("move_base", "dwa_local_planner", "amcl", "fake_localization"),
    "real Panda": ("franka_control", "franka_gripper"),
}


def noetic_stack() -> Iterator[Finding]:
    """What MoveIt, Gazebo, move_base and a real Panda need beside this workspace, with its versions."""
    if not NOETIC:
        yield Finding("Noetic's stack", "note", "MoveIt, Gazebo, move_base, franka_ros: not for Debian 12",
                      "docs/noetic.md: Ubuntu 20.04 with ROS Noetic, or the container in docker/")
        return
    here = dict(re.findall(r"^(\S+) (\S+)$", _in_ros("rospack list").stdout, re.M))
    for part, packages in STACK.items():
        absent = [name for name in packages if name not in here]
        if not absent:
            yield Finding(part, "ok", ", ".join(f"{name} {_version(Path(here[name]))}" for name in packages))
        else:
            debs = " ".join("ros-noetic-" + name.replace("_", "-") for name in absent)
            yield Finding(part, "note", f"{', '.join(absent)} not found", f"as root: apt-get install {debs}")


def _in_ros(command: str) -> "subprocess.CompletedProcess[str]":
    """Run a command in ROS's own environment, as it is before the workspace's."""
    source = f"unset ROS_PACKAGE_PATH CMAKE_PREFIX_PATH; . {ROS_SETUP}; "
    return _run(["bash", "-c", source + command if NOETIC else command])


def _version(package: Path) -> str:
    try:
        found = re.search(r"<version>\s*([^<\s]+)", (package / "package.xml").read_text(encoding="utf-8"))
    except OSError:
        found = None
    return found.group(1) if found else "of unknown version"


def python_packages() -> Iterator[Finding]:
    """The virtual environment and each pinned package."""
    if not os.access(VENV, os.X_OK):
        yield Finding("venv", "missing", f"{VENV.parents[1]} is not there", MEND)
        return
    yield Finding("venv", "ok", str(VENV.parents[1]))
    listed = ROOT / "requirements" / f"{os.environ.get('HICRISP_REQUIREMENTS', 'runtime')}.txt"
    wanted: Dict[str,
                 str] = dict(re.findall(r"^([\w.-]+)==([\w.]+)", listed.read_text(encoding="utf-8"), re.M))
    program = ("import json, sys\nfrom importlib import metadata\nfound = {}\nfor name in "
               "json.load(sys.stdin):\n    try: found[name] = metadata.version(name)\n    except "
               "metadata.PackageNotFoundError: found[name] = ''\nprint(json.dumps(found))")
    done = subprocess.run([str(VENV), "-c", program], input=json.dumps(list(wanted)), capture_output=True,
                          text=True,
                          timeout=60, check=False)
    found = json.loads(done.stdout) if done.returncode == 0 else {}
    for name, version in wanted.items():
        have = found.get(name, "")
        said = have if have == version else f"{have or 'not installed'}, {version} is wanted"
        yield Finding(f"python: {name}", "ok" if have == version else "missing", said,
                      "" if have == version else MEND)
    where = _run([str(VENV), "-c", "import rospkg; print(rospkg.__file__)"])
    shadowed = where.returncode != 0 or str(ROOT) in where.stdout
    yield Finding("python: rospkg", "missing" if shadowed else "ok",
                  _last_line(where.stdout or where.stderr),
                  ".venv/bin/pip uninstall rospkg" if shadowed else "")


def build() -> Iterator[Finding]:
    """The catkin build."""
    if not (ROOT / "devel" / "setup.bash").exists():
        yield Finding("build", "missing", "nothing is built", MEND)
    elif os.environ.get("HICRISP_BUILD_CURRENT") != "yes":
        yield Finding("build", "missing", "older than the sources", MEND)
    else:
        yield Finding("build", "ok", "up to date")


def _free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


def roscore() -> Iterator[Finding]:
    """Whether a ROS master can start: one is started on a port of its own, and ended."""
    if not VENV.exists():
        yield Finding("roscore", "note", "not tried without the venv")
        return
    port, began = _free_port(), time.monotonic()
    environment = {**os.environ, "ROS_MASTER_URI": f"http://127.0.0.1:{port}", "ROS_IP": "127.0.0.1"}
    source = f". {ROS_SETUP}; " if NOETIC else ""
    try:
        master = subprocess.Popen(["bash", "-c", f"{source}exec rosmaster --core -p {port}"], env=environment,
                                  cwd=ROOT,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except OSError as error:
        yield Finding("roscore", "missing", str(error), MEND)
        return
    try:
        while time.monotonic() - began < 15.0 and master.poll() is None:
            with socket.socket() as trial:
                if trial.connect_ex(("127.0.0.1", port)) == 0:
                    yield Finding("roscore", "ok", f"a master starts in {time.monotonic() - began:.1f} s")
                    return
            time.sleep(0.05)
    finally:
        master.kill()
        said, _ = master.communicate()
    yield Finding("roscore", "missing", f"a master does not start: {_last_line(said)}",
                  "does `hostname` resolve, and does a firewall leave 127.0.0.1 alone?")


def rendering() -> Iterator[Finding]:
    """Whether the simulator can make pictures without a display."""
    if NOETIC:
        yield Finding("rendering", "note",
                      "the embedded world is for Debian 12; here Gazebo makes the pictures")
        return
    program = "\n".join((
        "import mujoco", "scene = '<light pos=\"0 0 3\"/><geom size=\".1\"/>'",
        "model = mujoco.MjModel.from_xml_string('<mujoco><worldbody>' + scene + '</worldbody></mujoco>')",
        "data = mujoco.MjData(model)", "mujoco.mj_forward(model, data)",
        "renderer = mujoco.Renderer(model, 48, 64)", "renderer.update_scene(data)",
        "assert renderer.render().any(), 'the picture is black'"))
    said = ""
    for backend in dict.fromkeys((os.environ.get("MUJOCO_GL", "osmesa"), "osmesa", "egl")):
        began = time.monotonic()
        done = _run([str(VENV), "-c", program], MUJOCO_GL=backend)
        if done.returncode == 0:
            yield Finding("rendering", "ok",
                          f"MUJOCO_GL={backend} ({time.monotonic() - began:.1f} s with its start)")
            return
        said = _last_line(done.stderr)
    yield Finding("rendering", "missing", f"no picture: {said}",
                  "apt-get install libosmesa6 libegl1 libgl1-mesa-dri")


def python38() -> Iterator[Finding]:
    """An interpreter for the core's tests under Python 3.8."""
    found = os.environ.get("HICRISP_PYTHON38", "")
    yield Finding("python 3.8", "ok" if found else "note",
                  found or "none found; scripts/test leaves that stage out",
                  "" if found else "HICRISP_PYTHON38=/path/to/python3.8 names one")


def language_model() -> Iterator[Finding]:
    """What the brain would use. No key is shown."""
    if os.environ.get("OPENAI_API_KEY"):
        base = _bare(os.environ.get("OPENAI_BASE_URL", ""))
        where = f", OPENAI_BASE_URL is {base}" if base else ""
        yield Finding("language model", "ok", f"OPENAI_API_KEY is set{where}")
    else:
        yield Finding("language model", "note",
                      "no OPENAI_API_KEY: the embedded model reads tasks; where it cannot run, controlled English",
                      "export OPENAI_API_KEY=..., or --llm with a file of config/llm")
    for path in (ROOT / "config" / "llm").glob("*"):
        if "key" in path.name and path.is_file() and stat.S_IMODE(path.stat().st_mode) & 0o077:
            yield Finding("language model", "missing", f"{path} may be read by others", f"chmod 600 {path}")


def _bare(url: str) -> str:
    """An address without what may be secret in it: a login, and what stands behind the question mark."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def named_model(name: str) -> Iterator[Finding]:
    """What the models of a configuration can, and one real call to each."""
    if not os.access(VENV, os.X_OK):
        yield Finding("language model", "missing", f"{VENV.parents[1]} is not there", MEND)
        return
    sources = os.pathsep.join(str(path) for path in sorted(ROOT.glob("src/*/src")))
    done = _run([str(VENV), "-m", "hicrisp_core.llm.try_out", name], seconds=600.0,
                PYTHONPATH=os.pathsep.join(filter(None, (sources, os.environ.get("PYTHONPATH", "")))))
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        yield Finding("language model", "missing", _last_line(done.stderr), MEND)
    for line in lines:
        told = json.loads(line)
        yield Finding("language model", "ok" if told["ok"] else "missing", told["said"])


def ports() -> Iterator[Finding]:
    """Whether the usual ports are free; a busy one is no fault, another is taken."""
    for port, purpose in PORTS.items():
        with socket.socket() as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind(("", port))
                yield Finding(f"port {port}", "ok", f"free ({purpose})")
            except OSError:
                yield Finding(f"port {port}", "note", f"in use ({purpose}); scripts/demo takes another")


CHECKS: List[Callable[[], Iterator[Finding]]] = [
    system, noetic_stack, python_packages, build, roscore, rendering, python38, language_model, ports]


def main() -> int:
    """Print the findings; 1 when something that is needed is missing."""
    parser = argparse.ArgumentParser(prog="scripts/doctor", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of lines")
    parser.add_argument("--mend", action="store_true", help="install and build what is missing first")
    parser.add_argument("--llm", metavar="NAME",
                        help="only this: one real call to each model of a file of config/llm")
    options = parser.parse_args()
    found: List[Finding] = []
    checks = [partial(named_model, options.llm)] if options.llm else CHECKS
    for check in checks:
        for finding in check():
            found.append(finding)
            if not options.json:
                print(f"{finding.state:<8} {finding.part:<28} {finding.said}")
                if finding.mend:
                    print(f"{'':<8} {'':<28} mend: {finding.mend}", flush=True)
    missing = [finding for finding in found if finding.state == "missing"]
    if options.json:
        print(json.dumps({"ok": not missing, "parts": [asdict(finding) for finding in found]}, indent=2))
    else:
        well = "nothing is missing" if options.llm else "everything that is needed is there"
        print(f"{len(missing)} missing" if missing else well)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
