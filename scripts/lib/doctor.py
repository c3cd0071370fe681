"""One line for each part that the workspace needs: there or missing, and how to get it. Standard library only."""
# ruff: noqa: T201  a command line prints

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
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
ROS = os.environ.get("HICRISP_ROS", "")
"""The prefix that ROS has; empty where it comes from the system's packages."""
ON_SYSTEM = not ROS or bool(os.environ.get("HICRISP_ON_SYSTEM"))
"""Whether ROS comes from those all the same: the prefix is a workspace over it."""
CONDA = bool(ROS) and (Path(ROS) / "conda-meta").is_dir()
LIST = os.environ.get("HICRISP_REQUIREMENTS", "")
"""The list of requirements/ for the interpreter; empty for one that is too old."""
MEND = "scripts/doctor --mend"


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
    python = f"Python {sys.version.split()[0]} ({sys.executable})"
    if not LIST:
        yield Finding("system", "missing", f"{name}, {python}", "the workspace needs Python 3.8 or newer")
    else:
        yield Finding("system", "ok", f"{name}, {python}: requirements/{LIST}.txt")
    if ROS:
        distro = _in_ros("echo ${ROS_DISTRO:-of unknown name}").stdout.strip()
        kind = "the conda environment" if CONDA else "the prefix"
        yield Finding("ROS", "ok", f"{distro}, in {kind} {ROS}")
    elif shutil.which("apt-get"):
        yield Finding("ROS", "ok", "from the system's own packages; no ROS 1 prefix is active or in /opt/ros")
    else:
        yield Finding("ROS", "missing", "neither a ROS 1 prefix nor apt-get is there",
                      "docs/noetic.md names what carries ROS 1 today; HICRISP_ROS names a prefix")
    absent = os.environ.get("HICRISP_MISSING", "").split()
    if absent:
        command = _bring(absent) if not ON_SYSTEM else f"apt-get install -y --no-install-recommends {' '.join(absent)}"
        yield Finding("system packages", "missing", " ".join(absent), f"{MEND}, or by hand: {command}")
    else:
        yield Finding("system packages", "ok", "all installed")


STACK = {  # Of what the manifests ask for, and nothing else.
    "MoveIt": ("moveit_commander", "panda_moveit_config"),
    "Gazebo": ("gazebo_ros", "gazebo_ros_control", "controller_manager", "franka_description"),
    "navigation": ("move_base", "dwa_local_planner", "amcl", "fake_localization"),
    "real Panda": ("franka_control", "franka_gripper"),
}


def robot_stack() -> Iterator[Finding]:
    """What MoveIt, Gazebo, move_base and a real Panda need beside this workspace, with its versions."""
    here = dict(re.findall(r"^(\S+) (\S+)$", _in_ros("rospack list").stdout, re.M))
    for part, packages in STACK.items():
        absent = [name for name in packages if name not in here]
        if not absent:
            yield Finding(part, "ok", ", ".join(f"{name} {_version(Path(here[name]))}" for name in packages))
        else:
            yield Finding(part, "note", f"{', '.join(absent)} not found", _bring(absent))


def _bring(packages: List[str]) -> str:
    """How ROS packages that are not there could come."""
    if ON_SYSTEM:
        return "not among the system's packages: docs/noetic.md says where these are"
    return _run(["bash", "-c", '. "$0" && how_to_install "$@"', str(ROOT / "scripts/lib/setup.sh"), *packages]).stdout


def _in_ros(command: str) -> "subprocess.CompletedProcess[str]":
    """Run a command in ROS's own environment, as it is before the workspace's."""
    source = f"unset ROS_PACKAGE_PATH CMAKE_PREFIX_PATH; . '{ROS}/setup.bash' --; " if ROS else ""
    return _run(["bash", "-c", source + command])


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
    listed = ROOT / "requirements" / f"{LIST or 'noetic'}.txt"
    wanted: Dict[str,
                 str] = dict(re.findall(r"^([\w.-]+)==([\w.]+)", listed.read_text(encoding="utf-8"), re.M))
    program = ("import json, sys\nfrom importlib import metadata\nfound = {}\nfor name in "
               "json.load(sys.stdin):\n    try: found[name] = metadata.version(name)\n    except "
               "metadata.PackageNotFoundError: found[name] = ''\nprint(json.dumps(found))")
    done = subprocess.run([str(VENV), "-c", program], input=json.dumps(list(wanted)), capture_output=True,
                          text=True,
                          timeout=60, check=False)
    found = json.loads(done.stdout) if done.returncode == 0 else {}
    other = [f"{name} {version}" for name, version in wanted.items() if found.get(name, "") != version]
    if other:
        yield Finding("python packages", "missing", f"not installed in these versions: {', '.join(other)}", MEND)
    for name in wanted:
        if found.get(name, "") == wanted[name]:
            yield Finding(f"python: {name}", "ok", wanted[name])
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


def roscore() -> Iterator[Finding]:
    """Whether a ROS master can start: one is started on a port of its own, and ended."""
    if not VENV.exists():
        yield Finding("roscore", "note", "not tried without the venv")
        return
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port, began = int(trial.getsockname()[1]), time.monotonic()
    environment = {**os.environ, "ROS_MASTER_URI": f"http://127.0.0.1:{port}", "ROS_IP": "127.0.0.1"}
    source = f". '{ROS}/setup.bash' --; " if ROS else ""
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
    if LIST != "runtime":
        yield Finding("rendering", "note",
                      "the embedded world needs Python 3.11 or newer; here Gazebo makes the pictures")
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
                  MEND if "No module named" in said else "apt-get install libosmesa6 libegl1 libgl1-mesa-dri")


def python38() -> Iterator[Finding]:
    """An interpreter for the core's tests under Python 3.8."""
    found = os.environ.get("HICRISP_PYTHON38", "")
    yield Finding("python 3.8", "ok" if found else "note",
                  found or "none found; scripts/test leaves that stage out",
                  "" if found else "HICRISP_PYTHON38=/path/to/python3.8 names one")


def language_model() -> Iterator[Finding]:
    """What the brain would use. No key is shown."""
    done = _run([str(VENV), "-c", "import json, os; from hicrisp_core.llm.settings import choose_llm; "
                                  "print(json.dumps(choose_llm('', os.environ)))"], PYTHONPATH=_sources())
    if done.returncode == 0:
        name, why = json.loads(done.stdout)
        urls = (_bare(os.environ.get(each, "")) for each in ("HICRISP_LLM_BASE_URL", "OPENAI_BASE_URL"))
        where = next((f" at {url}" for url in urls if url and name == "openai"), "")
        yield Finding("language model", "ok" if name == "openai" else "note", f"{name}{where}: {why}",
                      f"one real call: scripts/doctor --llm {name}" if name == "openai" else
                      "export OPENAI_API_KEY=..., or --llm with a file of config/llm")
    else:
        yield Finding("language model", "note", "not tried without the venv")
    for path in (ROOT / "config" / "llm").glob("*"):
        if "key" in path.name and path.is_file() and stat.S_IMODE(path.stat().st_mode) & 0o077:
            yield Finding("language model", "missing", f"{path} may be read by others", f"chmod 600 {path}")


def _bare(url: str) -> str:
    """An address without what may be secret in it: a login, and what stands behind the question mark."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def named_model(name: str) -> Iterator[Finding]:
    """Call each model of a configuration once.

    Args:
        name: a file of ``config/llm``, or its name.

    Yields:
        What each model supports, or what is wrong.
    """
    if not os.access(VENV, os.X_OK):
        yield Finding("language model", "missing", f"{VENV.parents[1]} is not there", MEND)
        return
    done = _run([str(VENV), "-m", "hicrisp_core.llm.try_out", name], seconds=600.0, PYTHONPATH=_sources())
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        yield Finding("language model", "missing", _last_line(done.stderr), MEND)
    for line in lines:
        told = json.loads(line)
        yield Finding("language model", "ok" if told["ok"] else "missing", told["said"])


def _sources() -> str:
    found = [str(path) for path in sorted(ROOT.glob("src/*/src"))]
    return os.pathsep.join(filter(None, (*found, os.environ.get("PYTHONPATH", ""))))


def ports() -> Iterator[Finding]:
    """Whether the usual ports are free; a busy one is no fault, another is taken."""
    page = re.search(r'name="web_port" default="(\d+)"', (ROOT / "launch/demo.launch").read_text(encoding="utf-8"))
    usual = {11311: "the ROS master", **({int(page.group(1)): "the dashboard"} if page else {})}
    for port, purpose in usual.items():
        with socket.socket() as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind(("", port))
                yield Finding(f"port {port}", "ok", f"free ({purpose})")
            except OSError:
                yield Finding(f"port {port}", "note", f"in use ({purpose}); scripts/demo takes another")


CHECKS: List[Callable[[], Iterator[Finding]]] = [
    system, robot_stack, python_packages, build, roscore, rendering, python38, language_model, ports]


def main() -> int:
    """Print the findings; 1 when something that is needed is missing."""
    parser = argparse.ArgumentParser(prog="scripts/doctor", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of lines")
    parser.add_argument("--mend", action="store_true", help="install and build what is missing first")
    parser.add_argument("--llm", metavar="NAME",
                        help="only this: one real call to each model of a file of config/llm")
    options = parser.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # A reader that ends early, such as head, ends this without a word.
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
