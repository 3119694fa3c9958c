"""What the plugin taxi_recife registers with the core."""
