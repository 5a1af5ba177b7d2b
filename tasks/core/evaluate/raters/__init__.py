"""How well people agree on where the figures are, and how lifelike (Ginosar et al., 2014)."""
