"""The home of who is logged in: their queue, today, what changes soon."""
