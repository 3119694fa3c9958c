"""Records put right: another plate, duplicates made one, wrong rows corrected."""
