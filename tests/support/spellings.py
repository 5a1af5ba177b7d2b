"""Names, the ways in which sources write one, and people who look alike and are not one."""

import unicodedata
from collections.abc import Callable

from tasks.core.names.matching import ALIASES

OWN = (
    """
J. M. W. Turner|C. D. Friedrich|C. R. W. Nevinson|E. L. Kirchner|L. S. Lowry|N. C. Wyeth
J. W. Waterhouse|W. H. Hunt|Henri de Toulouse-Lautrec|Jean-Baptiste-Siméon Chardin
Jean-Auguste-Dominique Ingres|Pierre-Auguste Renoir|Karl Schmidt-Rottluff|Georgia O'Keeffe
Bartholomeus van 't Hert|Giovanni Battista dell'Era|Jean d'Ivry|Ó Súilleabháin's Master
Daniel O'Neill|Albrecht Dürer|Édouard Manet|Édouard Vuillard|Frédéric Bazille|František Kupka
Tōshūsai Sharaku|Itō Jakuchū|Ogata Kōrin|Paula Modersohn-Becker|Tivadar Csontváry Kosztka
Mihály Munkácsy|Josef Čapek|Mikalojus Konstantinas Čiurlionis|Nguyễn Phan Chánh|Józef Chełmoński
Harald Sohlberg|Vilhelm Hammershøi|Peder Severin Krøyer|Eugène Jansson|Akseli Gallen-Kallela
Þórarinn B. Þorláksson|İbrahim Çallı|Osman Hamdi Bey|Halil Paşa|Fahrelnissa Zeid
Hans Süß von Kulmbach|Hans Großmann|Θεόφιλος Χατζημιχαήλ|Γιάννης Τσαρούχης|Илья Ефимович Репин
Василий Дмитриевич Поленов|Пётр Петрович Кончаловский|Микола Пимоненко
葛飾北斎|歌川広重|パブロ・ピカソ|ガブリエル・ロセッティ
겸재 정선|신윤복|محمود سعيد|كمال الدين بهزاد|राजा रवि वर्मा|नंदलाल बोस|ศิลป์ พีระศรี|Մարտիրոս Սարյան
ნიკო ფიროსმანი|ראובן רובין|Meister E. S.|Monogrammist A. G.|Master of 1499|Jan Brueghel the Elder
Hans Holbein d. J.|Sammy Davis Jr|Group f/64|Utagawa Hiroshige II
Giotto di Bondone|Jean-François Millet|Honoré Daumier|Théodore Rousseau|Rosa Bonheur
Gustave Doré|Gwen John|Suzanne Valadon
Claude Monet|Camille Pissarro
Berthe Morisot|Mary Cassatt|Edgar Degas|Paul Cézanne|Georges Seurat|Paul Signac|Henri Matisse
André Derain|Pablo Picasso|Georges Braque|Juan Gris|Robert Delaunay|Sonia Delaunay|Marc Chagall
Amedeo Modigliani|Chaïm Soutine|Giorgio de Chirico|Max Ernst|René Magritte|Salvador Dalí|Joan Miró
Frida Kahlo|Diego Rivera|José Clemente Orozco|Tarsila do Amaral|Cândido Portinari|Wifredo Lam
Tina Modotti|Wassily Kandinsky|Gabriele Münter|Franz Marc|August Macke|Emil Nolde|Käthe Kollwitz
Otto Dix|George Grosz|Hannah Höch|Kurt Schwitters|Gustav Klimt|Egon Schiele|Oskar Kokoschka
Ferdinand Hodler|Arnold Böcklin|Caspar Wolf|Angelica Kauffman|Henry Fuseli|William Blake
John Constable|Thomas Gainsborough|Joshua Reynolds|William Hogarth|Élisabeth Vigée Le Brun
Jacques-Louis David|Théodore Géricault|Eugène Delacroix|Gustave Courbet
""".strip()
    .replace("\n", "|")
    .split("|")
)


def _plain(name: str) -> str:
    """Without the accents of Latin and Greek letters, which alone have a code point of their own with an accent."""
    signs = []
    for sign in unicodedata.normalize("NFC", name):
        apart = unicodedata.normalize("NFD", sign)
        is_accented = unicodedata.name(sign, "").startswith(("LATIN", "GREEK"))
        signs.append(apart[0] if is_accented else sign)
    return "".join(signs)


ALL = [*sorted(filter(None, ALIASES.values())), *OWN]
NAMES = tuple({_plain(name).casefold().replace("-", " "): name for name in ALL}.values())[-200:]


def _wide(name: str) -> str:
    """Letters and digits of ASCII in full width, and blanks."""
    return "".join(
        chr(ord(sign) + 0xFEE0) if sign.isascii() and sign.isalnum() else "\u3000" if sign == " " else sign
        for sign in name
    )


WAYS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in capitals": str.upper,
    "in small letters": str.lower,
    "letters taken apart": lambda name: unicodedata.normalize("NFD", name),
    "without accents": _plain,
    "in full width": _wide,
    "with dashes": lambda name: name.replace("-", "–").replace("'", "’"),
    "with hyphens that don't break": lambda name: name.replace("-", "\u2011").replace("'", "ʼ"),
    "initials side by side": lambda name: name.replace(". ", "."),
    "with a blank that doesn't break, and marks of direction": lambda name: f"\u200e{name}\u200f".replace(" ", "\xa0"),
    "with signs that nobody sees": lambda name: "\ufeff" + "\u200b\u00ad".join(name),
    "in quotes, with a final dot": lambda name: f"„{name}“.",
}
"""Twelve."""

LOOK_ALIKES = tuple(
    (one, other)
    for pair in """
Jan Brueghel I|Jan Brueghel II
Jan Brueghel the Elder|Jan Brueghel the Younger
Pieter Bruegel|Pieter Brueghel
Hans Holbein d. J.|Hans Holbein d. Ä.
Hans Holbein|Sigmund Holbein
Meister E. S.|Meister H. S.
Meister E. S.|Meister E.
Monogrammist AB|Monogrammist A
C. D. Friedrich|D. C. Friedrich
J. M. W. Turner|J. M. Turner
J. W. Turner|J. M. Turner
W. Turner|William Turner
Marie Laurencin|Marie Laurencine
Anne-Marie Roux|Annemarie Roux
Henri Martin|Henri Martine
Henri Martin|Henry Martin
Henri Martin|Henri Marten
Claude Monet|Claude Manet
Édouard Manet|Édouard Monet
Jean Arp|Jean Arpe
Utagawa Hiroshige|Utagawa Hiroshige II
Utagawa Hiroshige II|Utagawa Hiroshige III
Utagawa Toyokuni I|Utagawa Toyokuni III
Utagawa Kunisada|Utagawa Kunisato
Master of 1499|Master of 1490
Frans Francken II|Frans Francken III
Frans Hals|Frans Hals, Jr
David Teniers the Elder|David Teniers the Younger
Lucas Cranach der Ältere|Lucas Cranach der Jüngere
Giovanni Bellini|Gentile Bellini
Carlo Carrà|Carla Carrà
Agostino Carracci|Annibale Carracci
Artemisia Gentileschi|Orazio Gentileschi
Paul Nash|John Nash
Sammy Davis|Sammy Davis Jr
Robert Smith (painter)|Robert Smith (engraver)
Smith & Sons|Smith and Sons
Jan Mostaert|Gillis Mostaert
Peter Møller|Peter Moller
Jan Łuk|Jan Luk
Đorđe Andrejević|Dorde Andrejević
ハルオ|バルオ
かんば|がんば
パウル|バウル
つだ|っだ
王翚|王翬
山田太郎|山田太朗
Кий|Кии
Пётр Иванов|Петр Иванов
Майков|Маиков
राम कुमार|राम कुमारी
कमल|कमला
किरण|कुरण
김정희|김정호
김은호|김은후
שין|שׁין
احمد|أحمد
علي حسن|على حسن
ศิลป์|ศิลปิ
Van Gogh|Vangogh
Monet, Claude|Claude Monet
""".strip().splitlines()
    for one, other in [pair.split("|")]
)
