"""What the plugin taxi_pontos registers with the core."""

from __future__ import annotations

REGISTRY_API = 1
