"""What a release holds, as values: tables, COCO documents, digests, card.

Writing them is tasks/io/store/drafts.py.
"""
