"""What the plugin fretamento_rmr registers with the core."""
