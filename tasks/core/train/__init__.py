"""The rules of training: what is learnt, who comes when, at which rate, how pictures are altered."""
