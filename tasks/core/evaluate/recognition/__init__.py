"""How well photographs of artworks are recognised among a museum's exhibits: the protocol of The Met dataset, which
`recognise` tells from beginning to end.
"""
