"""What the plugin taxi_pontos registers with the core."""
