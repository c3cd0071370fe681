"""Prints a software bill of materials in CycloneDX 1.6: what a run is made of, from what is installed.

``sbom.py VERSION LIST...`` in the workspace's environment: the Python packages that the lists of requirements
name, with the hashes of their files where a list has them, and the Debian packages that come by standard
input, one name a line.
"""
# ruff: noqa: T201  a command line prints

from __future__ import annotations

import json
import re
import subprocess
import sys
import uuid
from importlib import metadata
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Tuple
from urllib.parse import quote

_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\#]+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_LONGEST = 60
"""Characters of a licence that is a name; longer ones are texts."""


def pins(path: Path) -> Dict[str, Tuple[str, List[str]]]:
    """Read a list of requirements.

    Args:
        path: a file of ``requirements/locked``.

    Returns:
        Version and SHA-256 of the installable files by the package's name.
    """
    found: Dict[str, Tuple[str, List[str]]] = {}
    hashes: List[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        pin = _PIN.match(line)
        if pin:
            hashes = []
            found[re.sub(r"[-_.]+", "-", pin.group(1)).lower()] = (pin.group(2), hashes)
        hashes += _HASH.findall(line)
    return found


def python_packages(lists: Iterable[Path]) -> List[Mapping[str, Any]]:
    """List the components of lists of requirements; a package that is not installed has no licence.

    Args:
        lists: files of ``requirements/locked``.

    Returns:
        Components of CycloneDX.
    """
    wanted = {name: pin for path in lists for name, pin in pins(path).items()}
    found = []
    for name, (version, hashes) in sorted(wanted.items()):
        purl = f"pkg:pypi/{name}@{quote(version)}"
        component: Dict[str, Any] = {"type": "library", "bom-ref": purl, "name": name, "version": version,
                                     "purl": purl}
        try:
            about = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            component["scope"] = "optional"
        else:
            component.update(_described(about))
        if hashes:
            # Any one of these files is what pip takes, which depends on the machine.
            component["externalReferences"] = [{
                "type": "distribution", "url": purl,
                "hashes": [{"alg": "SHA-256", "content": each} for each in hashes]}]
        found.append(component)
    return found


def _described(about: metadata.PackageMetadata) -> Dict[str, Any]:
    told = {key: str(about.get(key) or "").strip() for key in ("License-Expression", "License", "Summary")}
    described: Dict[str, Any] = {"description": told["Summary"]} if told["Summary"] else {}
    by_class = [each.split(" :: ")[-1] for each in about.get_all("Classifier") or ()
                if each.startswith("License :: ")]
    if told["License-Expression"]:
        described["licenses"] = [{"expression": told["License-Expression"]}]
    elif told["License"] and len(told["License"]) <= _LONGEST:
        described["licenses"] = [{"license": {"name": told["License"]}}]
    elif by_class:
        described["licenses"] = [{"license": {"name": each}} for each in by_class]
    return described


def debian_packages(names: Iterable[str]) -> List[Mapping[str, Any]]:
    """List the installed packages of the system.

    Args:
        names: names of packages.

    Returns:
        Components of CycloneDX.
    """
    asked = sorted(set(names))
    if not asked:
        return []
    try:
        done = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version} ${Architecture}\n", *asked],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    except OSError:
        return []
    found = []
    for name, version, architecture in (line.split() for line in done.stdout.splitlines()):
        purl = f"pkg:deb/debian/{quote(name)}@{quote(version)}?arch={architecture}"
        found.append({"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl})
    return found


def bill(version: str, components: List[Mapping[str, Any]]) -> Dict[str, Any]:
    """Write the whole document; the same components have the same serial number.

    Args:
        version: of the workspace.
        components: packages.

    Returns:
        The document as CycloneDX 1.6.
    """
    body = json.dumps(components, sort_keys=True)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, body)}",
        "metadata": {"component": {"type": "application", "bom-ref": "hicrisp", "name": "hicrisp",
                                   "version": version,
                                   "licenses": [{"license": {"id": "BSD-3-Clause"}}]}},
        "components": components,
    }


def main() -> None:
    """Print the bill of this checkout."""
    lists = [Path(each) for each in sys.argv[2:]]
    debian = [] if sys.stdin.isatty() else sys.stdin.read().split()
    print(json.dumps(bill(sys.argv[1], [*python_packages(lists), *debian_packages(debian)]), indent=1))


if __name__ == "__main__":
    main()
