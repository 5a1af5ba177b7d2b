"""The machine that all shells stand on: how answers are kept, cut into parts, retried and shown.

No stage lives here.
"""
