"""Measurements that are run by hand: ``make bench``, or one of them by ``python -m benchmarks.<name>``."""
