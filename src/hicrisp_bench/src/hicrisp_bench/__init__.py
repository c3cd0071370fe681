"""Benchmarks: suites, their tables, and the papers' own figures beside ours."""
