"""``python -m registry.cli.plugin.teller NAME ZONE SOURCE``: a digest of each case's verdict, as one JSON object.

The check starts it twice, with sets in different orders, to see that a rule's answer does not hang on it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

from registry.cli.plugin.lawful import told
from registry.cli.plugin.subject import subject_of


def main(name: str, zone: str, source: str) -> None:
    """Prints the digests."""
    subject = subject_of(name, ZoneInfo(zone), Path(source) if source else None)
    print(json.dumps({case: hashlib.sha256(text.encode()).hexdigest() for case, text in told(subject).items()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
