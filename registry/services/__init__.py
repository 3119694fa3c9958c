"""Use cases, one module a noun: load facts, ask, effect, save and audit in one transaction."""
