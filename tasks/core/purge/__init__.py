"""What a purge removes, and what it leaves: tombstones, and that a record was there."""
