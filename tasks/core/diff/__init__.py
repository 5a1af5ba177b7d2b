"""How two releases differ, and why: from their tables, ledgers, recipes and manifests."""
