"""The set-up: what is still missing before the first permit, and what the authority is, its days and regimes."""
