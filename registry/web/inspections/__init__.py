"""The vistoria: the day's agenda, the booking, the checklist, the result."""
