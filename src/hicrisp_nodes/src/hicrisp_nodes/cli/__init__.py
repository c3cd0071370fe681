"""The command lines: `scripts/demo` and `hicrisp`."""
