"""The hostile campaign: thousands of odd inputs and damages, each with the ending that is right for it.

`python -m benchmarks.hostile`, or one case again: `python -m benchmarks.hostile --case FAMILY/NUMBER --seed SEED`.
"""
