"""The tables of `make evaluate`. docs/evaluation.md says how to read them."""
