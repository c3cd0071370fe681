"""Controlled English: a small closed language, for machines without a language model."""
