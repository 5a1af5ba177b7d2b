"""How well people agree on where the figures are, and how lifelike (Ginosar et al., 2014).

`ratings` reads what raters drew and rated, `check` refuses what can't be; `consensus` makes the truth of it, `clusters`
groups their boxes;
`leave_one_out` compares each rater with the truth of all others, `pairing` matches boxes; `buckets` tells images apart
by how deformed their figures are; `distribution` is what a group of raters comes to; `alpha` and `pairs` say how far
raters agree, `disagreement` where they do not; `document` writes the truth as COCO;
`page` says all of it.
"""
