"""evaluate: the papers' measures, one protocol a file: what is read, computed in tasks/core/evaluate/, and written."""
