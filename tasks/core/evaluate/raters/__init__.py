"""How well people agree on where the figures are, and how lifelike (Ginosar et al., 2014).

`ratings` reads what raters drew and rated, and refuses what can't be; `boxes` pairs and groups their boxes; `consensus`
makes the truth of them, also as COCO; `leave_one_out` compares each rater with the truth of all others, and says where
one differs; `agreement` says how far raters agree; `page` says all of it.
"""
