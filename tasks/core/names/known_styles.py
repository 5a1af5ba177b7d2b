"""Styles as collections spell them: the names, and the table of aliases, that are shipped.

Names are WikiArt's (its dictionary of styles, and those that its works bear besides), but for the four that the
datasets of PoPArt and ArtBench-10 call otherwise: Art Nouveau, Mannerism, Naive Art, Post Impressionism. Blanks,
hyphens, accents and case need no entry: "Post_Impressionism" and "PostImpressionism" are "Post-Impressionism".

It stands beside the code that reads it, since what it says decides what records say: a change of it is a change of
code.
"""

_ALONE = """
2nd Intermediate Period | 3rd Intermediate Period | Abbasid Period | Abstract Art | Abstract Expressionism | Action
painting | Amarna | American Realism | Analytical Cubism | Analytical Realism | Archaic | Art Brut | Art Deco | Art
Informel | Automatic Painting | Baroque | Biedermeier | Byzantine | Cartographic Art | Celtic | Chernihiv school of icon
painting | Classic (c.200-900) | Classical | Classicism | Cloisonnism | Conceptual Art | Concretism | Constructivism |
Contemporary | Contemporary Realism | Coptic art | Costumbrismo | Cretan school of icon painting | Crusader workshop |
Cubism | Cubo-Expressionism | Cubo-Futurism | Cyber Art | Dada | Digital Art | Divisionism | Documentary photography |
Early Byzantine (c. 330–750) | Early Christian | Early Dynastic | Early Renaissance | Existential Art | Expressionism |
Fantastic Realism | Fashion photography | Fauvism | Feminist Art | Fiber art | Figurative Expressionism | Folk art |
Futurism | Galicia-Volyn school | Geometric | Gongbi | Gothic | Graffiti Art | Hard Edge Painting | Hellenistic | High
Renaissance | Hyper-Realism | Ilkhanid | Impressionism | Indian Space painting | Ink and wash painting | International
Gothic | Intimism | Japonism | Kinetic Art | Kitsch | Komnenian style (1081-1185) | Kyiv school of icon painting | Ký
họa | L'art pompier | Late Byzantine/Palaeologan Renaissance (c. 1261–1453) | Late Period | Latin Empire of
Constantinople (1204-1261) | Lettrism | Luminism | Lyrical Abstraction | Macedonian Renaissance (867–1056) | Macedonian
school of icon painting | Mail Art | Mechanistic Cubism | Medieval Art | Metaphysical art | Middle Byzantine (c.
850–1204) | Middle Kingdom | Miserablism | Modernismo | Mosan art | Moscow school of icon painting | Mozarabic | Mughal
| Muralism | Nas-Taliq | Naturalism | Neo-Byzantine | Neo-Concretism | Neo-Dada | Neo-Expressionism | Neo-Figurative Art
| Neo-Geo | Neo-Impressionism | Neo-Minimalism | Neo-Pop Art | Neo-Rococo | Neo-Romanticism | Neo-Suprematism |
Neo-baroque | Neoclassicism | Neoplasticism | New Casualism | New Ink Painting | New Kingdom | New Medievialism | New
Realism | Nihonga | Northern Renaissance | Nouveau Réalisme | Novgorod school of icon painting | Old Kingdom |
Orientalism | Orphism | Ottoman Period | Outsider art | Perceptism | Performance Art | Photorealism | Pictorialism |
Pointillism | Pop Art | Post Impressionism | Post-Painterly Abstraction | Post-classic (c.900-1580) | Pre-Romanesque |
Pre-classic (c.1200 BC -200 AD) | Precisionism | Predynastic | Proto Renaissance | Pskov school of icon painting |
Ptolemaic | Purism | Rayonism | Realism | Regionalism | Renaissance | Rococo | Romanesque | Romanticism | Safavid Period
| Severe Style | Shin-hanga | Site-specific art | Sky Art | Social Realism | Socialist Realism | Sots Art | Spatialism |
Spectralism | Street Photography | Stroganov school of icon painting | Superflat | Suprematism | Surrealism | Symbiotic
Art | Symbolism | Synchromism | Synthetic Cubism | Synthetism | Sōsaku hanga | Tenebrism | Timurid Period | Tonalism |
Transautomatism | Tubism | Verism | Viking art | Vladimir school of icon painting | Vologda school of icon painting |
Yamato-e | Yaroslavl school of icon painting | Yoruba | Zen
"""
"""Styles that sources call by no other name."""

_NAMES: dict[str, tuple[str, ...]] = {
    # the name that it should have: other names of the same style
    "Academicism": ("Academic Art",),
    "Art Nouveau": ("Art Nouveau (Modern)", "Jugendstil"),
    "Color Field Painting": ("Color Field", "Colour Field Painting"),
    "Environmental (Land) Art": ("Land Art", "Environmental Art"),
    "Hyper-Mannerism (Anachronism)": ("Hyper-Mannerism",),
    "Kanō school style": ("Kanō school",),
    "Magic Realism": ("Magical Realism",),
    "Mannerism": ("Mannerism (Late Renaissance)",),
    "Minimalism": ("Minimal Art",),
    "Naive Art": ("Naïve Art (Primitivism)", "Primitivism"),
    "Nanga (Bunjinga)": ("Nanga", "Bunjinga"),
    "Op Art": ("Optical Art",),
    "Sumi-e (Suiboku-ga)": ("Sumi-e", "Suiboku-ga"),
    "Tachisme": ("Tachism",),
    "Ukiyo-e": ("浮世絵",),
}

NAMES: tuple[str, ...] = tuple(sorted({*(" ".join(name.split()) for name in _ALONE.split("|")), *_NAMES}))

ALIASES: dict[str, str] = {alias: name for name, aliases in _NAMES.items() for alias in aliases}
