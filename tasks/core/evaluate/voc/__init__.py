"""How well a detector finds figures by the rule of PASCAL VOC, which the Picasso paper takes (sections 5.5 and 7.1).

`verdicts` says once which boxes are right, `curve` what precision and recall come to at each score, `scorer` computes
AP and best F where images count several times. `baseline` is a detector that answers with the whole canvas, `buckets`
groups images by how deformed people find their figures, and `plot` has what one drawing shows.
"""
