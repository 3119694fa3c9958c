"""What the plugin taxi_bandeiras registers with the core."""
