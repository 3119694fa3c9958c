"""What the plugin taxi_rendicao registers with the core."""
