"""Conformance suites: what every arm and every base must do, run by the packages that implement one."""
