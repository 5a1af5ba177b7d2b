"""How well photographs of artworks are recognised among a museum's exhibits: the protocol of The Met dataset.

`recognise` tells it from beginning to end; `vectors` makes descriptors, `neighbours` finds the nearest exhibits,
`classifier` makes predictions of them and chooses k and the temperature, `scores` computes GAP and accuracy and divides
them; `tables` checks what comes in, `page` says it all.
"""
