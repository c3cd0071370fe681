#!/usr/bin/env bash
# site.sh [--fresh]: builds the site in the workspace's environment; dead links, unknown references and missing descriptions fail.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
[ "${1:-}" = --fresh ] && rm -rf build/docs
PYTHONPATH=scripts/lib:$PYTHONPATH python3 -m reference . docs/reference || exit 1
exec python3 -m sphinx --fail-on-warning --keep-going --nitpicky --quiet docs build/docs
