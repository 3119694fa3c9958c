"""Log-in, log-out, and what happens when a session ends while someone types."""
