"""What a release holds, as values: tables, digests, card. Writing them is tasks/io/store/drafts.py."""
