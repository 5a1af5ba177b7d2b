"""How well photographs of artworks are recognised among a museum's exhibits: the protocol of The Met dataset.

`recognise` tells it from beginning to end; `vectors` and `whitening` make descriptors, `neighbours` finds the nearest
exhibits, `classifier` makes predictions of them, `scores` computes GAP and accuracy, `tuning` chooses k and the
temperature, `distractors` and `gallery_sizes` divide the scores; `tables` checks what comes in.
"""
