#!/usr/bin/env bash
# docstrings.sh: documented arguments have the names and the order of the signature (pydoclint). One without a description is no finding.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
found=$(pydoclint src scripts examples 2>&1)
status=$?
if [ "$status" -gt 1 ] || { [ "$status" -eq 1 ] && ! grep -q DOC <<<"$found"; }; then
    printf '%s\n' "$found"
    exit 1
fi
! grep -E 'DOC10[24]|DOC103.*in the docstring but not in the function signature' <<<"$found"
