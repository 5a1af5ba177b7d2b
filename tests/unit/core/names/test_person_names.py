"""The order of a person's name, and its parts; names with commas: each odd one with its right ending, and what stays
as it came where nobody can know.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.names import Artists
from tasks.core.names.artists import parse_attribution
from tasks.core.names.maker_words import Words
from tasks.core.names.makers import is_uncertain
from tasks.core.names.matching import merge_aliases
from tasks.core.names.person_names import order_of, spoken, turn

WORDS = Words.shipped()


@pytest.mark.parametrize(
    ("text", "shorter"),
    [
        ("Henry Moore OM CH", "Henry Moore"),
        ("Le RA", "Le RA"),
        ("HENRY MOORE OM", "HENRY MOORE OM"),
        ("Henry Moore", "Henry Moore"),
        ("", ""),
        ("OM CH RA", "OM CH RA"),
    ],
)
def test_honours_are_stripped_where_a_name_is_left(text: str, shorter: str):
    assert parse_attribution(text, WORDS.aliases).name == (shorter or None)


@pytest.mark.parametrize(
    "text", ["J. M. W. Turner", "Sir Peter Paul Rubens", "Jan Brueghel the Elder", "Fra Filippo Lippi"]
)
def test_a_given_name_and_a_surname_are_a_full_name(text: str):
    assert WORDS.names.fit("full_name", text)


@pytest.mark.parametrize(
    "text", ["", " ", "Sir", "Rubens", "Peter Paul", "Peter de", "Peter P.", "Wang Hui", "Fontainebleau"]
)
def test_what_may_be_another_thing_is_no_full_name(text: str):
    assert not WORDS.names.fit("full_name", text)


@pytest.mark.parametrize(
    ("text", "is_it", "is_it_without_particles"),
    [
        ("", False, False),
        ("Vincent van", True, False),
        ("J.-B.", True, True),
        ("Sir", True, False),
        ("Paris", False, False),
    ],
)
def test_given_names(text: str, is_it: bool, is_it_without_particles: bool):
    assert (WORDS.is_of("forename", text), WORDS.is_of("given", text)) == (is_it, is_it_without_particles)


@pytest.mark.parametrize(
    ("part", "is_behind_full_name", "is_it"),
    [("OM CH", True, True), ("RA", True, True), ("RA", False, False), ("R.A.", False, False), ("PRA", False, True)],
)
def test_two_capitals_behind_one_word_may_be_initials(part: str, is_behind_full_name: bool, is_it: bool):
    assert bool(WORDS.names.fit("left_out", "Henry Smith" if is_behind_full_name else "Smith", part)) == is_it


@pytest.mark.parametrize(
    ("text", "is_it"), [("O'Keeffe", True), ("de la Sota", True), ("", True), ("Henry Moore", False)]
)
def test_one_surname_may_have_particles(text: str, is_it: bool):
    assert bool(WORDS.names.fit("surname", text)) == is_it


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("POUSSIN Nicolas", "Nicolas Poussin"),
        ("LA TOUR Georges de", "Georges de La Tour"),
        ("VAN LOO Carle", "Carle van Loo"),
        ("TENIERS David II", "David Teniers II"),
        ("HUET J. B.", "J. B. Huet"),
        ("LA TOUR MAURICE QUENTIN DE", "Maurice Quentin de La Tour"),
        ("UTAGAWA Kuniyoshi", "Utagawa Kuniyoshi"),
        ("KIM Whanki", "Kim Whanki"),
        ("O'KEEFFE Georgia", "Georgia O'Keeffe"),
        ("Massarenti Leonardo", "Leonardo Massarenti"),
        ("Holbein the Younger Hans", "Hans Holbein the Younger"),
        ("van der Weyden Rogier", "Rogier van der Weyden"),
        ("Seydel Johann Jacob", "Johann Jacob Seydel"),
        ("Benlliure y Gil José", "José Benlliure y Gil"),
        ("SEEFELDT W. I.", "W. I. Seefeldt"),
    ],
)
def test_the_family_name_goes_behind(text: str, name: str):
    assert spoken(text, WORDS) == name
    assert spoken(name, WORDS) == name


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "Monet",
            "Claude Monet",
            "IBM Corporation",
            "NASA Jet Propulsion Laboratory",
            "MASTER E. S.",
            "Sadegh Ali",
        ),
        *("San Francisco", "Sultan Muhammad", "Smith & John", "Kano Einō", "A, B", "UNESCO", "REMBRANDT", "Kiki Smith"),
        *("Abidin Dino", "Forrest Bess", "Horia Damian"),
        # what would be turned again and again
        *("1508 Jacopo", "[Fish] Janet", "Lucas Cranach d"),
        *("Dyck van Anthonis", "Pieter Hooch de", "Sorolla y Joaquín", "Pieter Bruegel the"),
    ],
)
def test_an_order_that_is_not_certain_stays(text: str):
    assert spoken(text, WORDS) == text


def test_of_several_in_capitals_the_first_is_taken():
    assert parse_attribution("AUDRAN Benoît I, LE BRUN Charles", WORDS.aliases).name == "Benoît Audran I"
    assert not WORDS.names.fit("several_in_capitals", "Turner", " Girtin")


SHIPPED = merge_aliases(Artists())

TURNED = [
    # "Last, First", with particles where museums put them
    ("Gogh, Vincent van", "Vincent van Gogh"),
    ("Toulouse-Lautrec, Henri de", "Henri de Toulouse-Lautrec"),
    ("Hokusai, Katsushika", "Katsushika Hokusai"),
    ("Robbia, Andrea della", "Andrea della Robbia"),
    ("Sozzo, Niccolò di ser", "Niccolò di ser Sozzo"),
    ("Guido, Bartolomeo di Domenico di", "Bartolomeo di Domenico di Guido"),
    ("Türckheim, H. von", "H. von Türckheim"),
    ("van der Stockt, Vranke", "Vranke van der Stockt"),
    ("von Winterthur, Heinrich Heid", "Heinrich Heid von Winterthur"),
    ("de la Sota, E. R.", "E. R. de la Sota"),
    ("De Morgan, Evelyn", "Evelyn De Morgan"),
    ("al-Naqqash, Abu Nasr", "Abu Nasr al-Naqqash"),
    ("'Abdal Baqi, Mahmud", "Mahmud 'Abdal Baqi"),
    ("O'Keeffe, Georgia", "Georgia O'Keeffe"),
    ("Puvis de Chavannes, Pierre", "Pierre Puvis de Chavannes"),
    ("David d'Angers, Pierre Jean", "Pierre Jean David d'Angers"),
    ("Pérez Villaamil, Genaro", "Genaro Pérez Villaamil"),
    ("Aznar y García, Francisco, fl. 1854-1881", "Francisco Aznar y García"),
    ("Aguado de las Marismas, Onésipe", "Onésipe Aguado de las Marismas"),
    ("Gerhaert von Leyden, Niclaus", "Niclaus Gerhaert von Leyden"),
    ("Franco Roselli, P.", "P. Franco Roselli"),
    ("Franco Roselli, Pietro", "Pietro Franco Roselli"),
    ("Smith, R.A.", "R.A. Smith"),
    ("Anatsui, El", "El Anatsui"),
    ("Thomas Eakins, N.A.", "Thomas Eakins"),
    ("Childe Hassam, ANA", "Childe Hassam"),
    ("Jane Doe, M.D.", "Jane Doe"),
    ("Yuan, Ma", "Ma Yuan"),
    ("Greco, El (Domenikos Theotokopoulos)", "El Greco"),
    ("Brown, Florence", "Florence Brown"),
    ("gogh, vincent van", "Vincent van Gogh"),
    ("monet, claude", "Claude Monet"),
    ("Wright, Joseph (Wright of Derby)", "Joseph Wright"),
    ("Ward, John Quincy Adams", "John Quincy Adams Ward"),
    # initials are no dates: "C." is not "circa", "D." not "died"
    ("Baudouin, C.", "C. Baudouin"),
    ("Smith, C. E.", "C. E. Smith"),
    ("Lellinger, D. B.", "D. B. Lellinger"),
    ("Koninck, Ph.", "Ph. Koninck"),
    ("Lendel, F J", "F J Lendel"),
    # generations
    ("Brueghel, Jan, the Elder", "Jan Brueghel the Elder"),
    ("Borch, Gerard ter, the Younger", "Gerard ter Borch"),
    ("Cranach the Elder, Lucas", "Lucas Cranach the Elder"),
    ("Blarer, Hans the Younger", "Hans Blarer the Younger"),
    ("Boucher, William Esperance Jr.", "William Esperance Boucher Jr."),
    ("William Esperance Boucher, Jr.", "William Esperance Boucher Jr."),
    ("Schreyer, George, Sr.", "George Schreyer Sr."),
    ("Pénicaud, Jean, I", "Jean Pénicaud I"),
    ("Wydytz, Hans I", "Hans Wydytz I"),
    ("Smith, John V.", "John V. Smith"),
    ("Smith, J I", "J I Smith"),
    ("Cochin, Charles Nicolas, II", "Charles Nicolas Cochin II"),
    ("Moreau, Jean Michel, le jeune", "Jean Michel Moreau le jeune"),
    ("Moreau, Jean Michel le jeune", "Jean Michel Moreau le jeune"),
    ("Holbein, Hans, der Ältere", "Hans Holbein der Ältere"),
    ("Hans Holbein, d. Ä.", "Hans Holbein d. Ä."),
    ("Palma, Jacopo, il Giovane", "Jacopo Palma il Giovane"),
    ("Bouillat père, Edme François", "Edme François Bouillat père"),
    # honours are no part of a name, titles go in front, ranks stay behind
    ("Henry Moore OM, CH", "Henry Moore"),
    ("Henry Moore OM", "Henry Moore"),
    ("Moore, Henry, OM, CH", "Henry Moore"),
    ("Moore, Henry OM, CH", "Henry Moore"),
    ("Sir Edward Coley Burne-Jones, Bt", "Sir Edward Coley Burne-Jones"),
    ("Burne-Jones, Sir Edward Coley, Bt", "Sir Edward Coley Burne-Jones"),
    ("Burne-Jones, Edward, Sir", "Sir Edward Burne-Jones"),
    ("Reynolds, Joshua, Sir, PRA", "Sir Joshua Reynolds"),
    ("Thomas Gainsborough, R.A.", "Thomas Gainsborough"),
    ("Sir William Beechey RA", "Sir William Beechey"),
    ("Frink, Elisabeth, Dame, CH, DBE, RA", "Dame Elisabeth Frink"),
    ("Gérard, François, Baron", "Baron François Gérard"),
    ("Denon, Dominique Vivant Baron", "Dominique Vivant Baron Denon"),
    ("Teti, Count Girolamo", "Count Girolamo Teti"),
    ("Bertinus, Brother", "Brother Bertinus"),
    ("Merwede, Matthuys van de, Lord of Clootwyck", "Matthuys van de Merwede, Lord of Clootwyck"),
    ("Marie Antoinette, Queen of France", "Marie Antoinette, Queen of France"),
    ("Frederic, Lord Leighton", "Frederic, Lord Leighton"),
    ("Thomas, Lord Lyttelton", "Thomas, Lord Lyttelton"),
    ("Jean-Antoine, Baron Gros", "Jean-Antoine, Baron Gros"),
    ("Albert, Prince Consort", "Albert, Prince Consort"),
    ("Gérard, Baron François", "Baron François Gérard"),
    ("Caylus, Anne Claude Philippe, comte de", "Anne Claude Philippe, comte de Caylus"),
    ("Wales, Charles, Prince of", "Charles, Prince of Wales"),
    ("Caylus, comte de", "comte de Caylus"),
    ("Anne Claude Philippe, Comte de Caylus", "Anne Claude Philippe, Comte de Caylus"),
    # masters and bynames
    ("GG, Master", "Master GG"),
    ("Riccardiana Lactantius, Master of the", "Master of the Riccardiana Lactantius"),
    ("Soeterbeeck, Master of", "Master of Soeterbeeck"),
    ("Master of Flémalle, The", "Master of Flémalle"),
    ("Leonardo, da Vinci", "Leonardo da Vinci"),
    # known names that are family names, or turned become known ones
    ("Rubens, Peter Paul", "Peter Paul Rubens"),
    ("Rubens, P. P.", "P. P. Rubens"),
    ("Hiroshige, Andō", "Utagawa Hiroshige"),
    ("Caravaggio, Michelangelo Merisi da", "Caravaggio"),
    ("Bellini, Giovanni", "Giovanni Bellini"),
    ("Holbein, Hans the Elder", "Hans Holbein the Elder"),
    ("Peale, Rembrandt", "Rembrandt Peale"),
    ("Boucher, William Esperance", "William Esperance Boucher"),
    ("Caravaggio, Polidoro da", "Polidoro da Caravaggio"),
    ("Vinci, Leonardo da", "Leonardo da Vinci"),
    ("Andrea Briosco, called Riccio", "Andrea Briosco"),
    # dates, places, nationalities, roles, other names
    ("Monet, Claude (1840-1926)", "Claude Monet"),
    ("Monet, Claude, French, 1840-1926", "Claude Monet"),
    ("Bayot, Adolphe Jean Baptiste, 1810-18--?", "Adolphe Jean Baptiste Bayot"),
    ("Pannemaker, Adolphe François, 1822-?", "Adolphe François Pannemaker"),
    ("Smith, John, London", "John Smith"),
    ("Smith, John, Australian, architect", "John Smith"),
    ("Utagawa, Hiroshige", "Utagawa Hiroshige"),
    ("Toyohara Kunichika, 豊原国周", "Toyohara Kunichika"),
    # several people: the first
    ("Joseph Mallord William Turner, Thomas Girtin", "Joseph Mallord William Turner"),
    ("Jan Brueghel the Elder, Peter Paul Rubens", "Jan Brueghel the Elder"),
    ("J. M. W. Turner, Thomas Girtin", "Joseph Mallord William Turner"),
    ("Rubens, Peter Paul and Brueghel, Jan", "Peter Paul Rubens"),
    ("Bell, Thomas; Darwin, Charles; Gould, Elizabeth", "Thomas Bell"),
    ("Amman, Jost|Anonymous Flemish weavers", "Jost Amman"),
    # firms
    ("Wedgwood and Sons, Josiah", "Josiah Wedgwood and Sons"),
    ("Broadwood & Sons, John", "John Broadwood & Sons"),
    ("Goulding, George, Co.", "George Goulding Co."),
    ("Pond, William A., & Company", "William A. Pond & Company"),
    ("Buffet, Crampon & Cie.", "Buffet, Crampon & Cie."),
    ("Firth, Hall & Pond", "Firth, Hall & Pond"),
    ("Gibson Mandolin-Guitar Manufacturing Co., Ltd.", "Gibson Mandolin-Guitar Manufacturing Co., Ltd."),
    ("Boehm & Mendler, German", "Boehm & Mendler"),
]

LEFT = [
    "Babcock, Appleton and Babcock",
    "Rundell, Bridge and Rundell",
    "Stein, Frere et Soeur",
    "Imperial Armory, Tula, Russia",
    "Imperial Porcelain Manufactory, St. Petersburg",
    "Elevated Tone Workshop, Guangzhou",
    "Louvre, Paris, France",
    "National Gallery of Art, Washington, DC, US",
    "RISD Museum, Providence, RI",
    "Salvador Dali Museum, St. Petersburg, FL, US",
    "Bargello, Florence, Italy",
    "Jan van der Velde, Haarlem",
    "Isfahan, Iran",
    "Turner, Girtin, Cotman",
    "Katsushika Hokusai, Utagawa Hiroshige",
    "Smith, RA",
    "Ausschnittsbild, hochgeladen von Axel",
    "Jean Arp, Max Ernst",
    "Turner, Girtin and others",
    "Zug, School of",
    "Zug, école de",
    # two masters are not one person
    "Titian, Paolo Veronese",
    "Rembrandt, Jan Lievens",
    "Rembrandt van Rijn, Jan Lievens",
    "Raphael, Giulio Romano",
    "Toyokuni III, Hiroshige",
    "Hiroshige II, Kunisada",
    "Raphael, Michelangelo",
    "Titian, Giorgione",
    "Rembrandt, Rubens",
    "Picasso, Braque",
    "Manet, Auguste Renoir",
]

QUALIFIED = [
    ("Rubens, Peter Paul (Flemish, 1577-1640), workshop of", "Peter Paul Rubens", "workshop of"),
    ("Attributed to Rembrandt, after Rubens", "Rembrandt", "attributed to"),
    ("Rembrandt, attributed to", "Rembrandt", "attributed to"),
    ("Jan Lievens, after Peter Paul Rubens", "Jan Lievens", None),
    ("Piranesi, Giovanni Battista, published by Francesco Piranesi", "Giovanni Battista Piranesi", None),
    ("Hemmel von Andlau, Peter Circle of", "Peter Hemmel von Andlau", "circle of"),
    ("Rubens, Peter Paul Workshop of", "Peter Paul Rubens", "workshop of"),
    ("Buli Master, possibly Ngongo ya Chintu", "Buli Master", None),
    ("Hasan Sulaiman Isfahani, Zain(?)", "Zain Hasan Sulaiman Isfahani", "possibly"),
    ("Rembrandt, 1606?", "Rembrandt", None),
    ("Rubens (workshop of), Flemish, 1577-1640", "Peter Paul Rubens", "workshop of"),
    ("Giorgione, formerly attributed to", "Giorgione", "formerly attributed to"),
    ("Giorgione, formerly", "Giorgione", "formerly attributed to"),
    ("Titian, formerly attributed to Giorgione", "Titian", None),
    ("Titian, formerly Giorgione", "Titian", None),
    ("Wang Hui, and others", "Wang Hui", None),
    ("Andrea Briosco, detto il Riccio", "Andrea Briosco", None),
    ("Siena, School of", "School of Siena", None),
    ("Mantegna, School of", "Mantegna", "school of"),
    ("Rembrandt, Nachfolger", "Rembrandt", "follower of"),
    ("Zurbarán, Francisco de, taller de", "Francisco de Zurbarán", "workshop of"),
    ("Rembrandt, workshop of 1640", "Rembrandt", "workshop of"),
    ("Rembrandt, of 1640", "Rembrandt", None),
]


@pytest.mark.parametrize(("text", "name"), TURNED)
def test_each_name_has_its_right_ending(text: str, name: str):
    assert parse_attribution(text, SHIPPED).name == name
    assert parse_attribution(name, SHIPPED).name == name
    assert not is_uncertain(name)


@pytest.mark.parametrize("text", LEFT)
def test_what_is_not_certain_stays_as_it_came_and_is_said(text: str):
    assert parse_attribution(text, SHIPPED).name == text
    assert is_uncertain(text)


@pytest.mark.parametrize(("text", "name", "qualifier"), QUALIFIED)
def test_what_qualifies_a_name_is_told_from_it(text: str, name: str, qualifier: str | None):
    found = parse_attribution(text, SHIPPED)
    assert (found.name, found.qualifier) == (name, qualifier)


def test_one_artist_in_all_spellings_is_one():
    spellings = [
        "Henry Moore",
        "Moore, Henry",
        "Henry Moore OM, CH",
        "Moore, Henry, OM, CH",
        "Moore, Henry (1898-1986)",
    ]
    assert {parse_attribution(text, SHIPPED).name for text in spellings} == {"Henry Moore"}


@pytest.mark.parametrize("text", ["", "Monet", "Claude Monet", "Monet; Claude"])
def test_without_a_comma_there_is_nothing_to_turn(text: str):
    assert turn(text, WORDS) is None
    assert not is_uncertain(text)


SAMPLES = """Jan Peter Paul Rubens van de the Elder Jr. OM RA Sir Lord of Paris France Museum & and Co. I V. 豊原
d'A. C.
B x 1606 Titian Hiroshige Workshop Circle Master da il"""
TEXTS = st.lists(st.one_of(st.sampled_from(SAMPLES.split()), st.just(","), st.just(", ")), max_size=10).map(" ".join)


@given(TEXTS)
def test_turning_twice_is_turning_once(text: str):
    once = parse_attribution(text, SHIPPED).name
    assert parse_attribution(once, SHIPPED).name == once


@given(TEXTS)
def test_no_word_is_made_up(text: str):
    turned = turn(text, WORDS)
    if turned is not None:
        assert set(turned.name.replace(",", " ").split()) <= set(text.replace(",", " ").split())


@pytest.mark.parametrize(
    ("head", "other", "order"),
    [
        ("Gogh", "Vincent van", "last, first"),
        ("Yuan", "Ma", "last, first"),
        ("Riccardiana Lactantius", "Master of the", "last, first"),
        ("Broadwood & Sons", "John", "last, first"),
        ("Brown", "Florence", "last, first"),
        ("Leonardo", "da Vinci", "first last"),
        ("Smith", "RA", "unknown"),
        ("Babcock", "Appleton and Babcock", "unknown"),
        ("Jan van der Velde", "Haarlem", "unknown"),
        ("Imperial Armory", "Tula", "unknown"),
        ("Jean Arp", "Max Ernst", "unknown"),
    ],
)
def test_each_rule_has_its_say(head: str, other: str, order: str):
    assert order_of(head, other, WORDS) == order


@pytest.mark.parametrize(
    ("text", "is_it"),
    [
        *(("Smith, Jones & Brown", True), ("Smith Jones, Brown, Ltd.", True), ("Goulding, Ltd.", True)),
        ("Louvre, Paris, X", False),
    ],
)
def test_firms_that_are_certain(text: str, is_it: bool):
    assert turn(text, WORDS) == (text, is_it)


def test_one_person_is_no_firm():
    assert turn("Jones, Inigo", WORDS) == ("Inigo Jones", True)


def test_nothing_has_no_commas():
    assert turn("", WORDS) is None
