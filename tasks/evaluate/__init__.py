"""evaluate: the papers' measures, one protocol a file.

What is computed stands in tasks/core/evaluate/, what is read in tasks/io/.
"""
