"""Who an artist is, whatever the source calls them: the recipe's own aliases, and those that are shipped."""

from typing import Annotated, Literal

from pydantic import Field

from schemas.frozen import Frozen

Written = Annotated[str, Field(min_length=1, max_length=200)]


class Artists(Frozen):
    """How names of artists are made one, and what works of unknown artists count as."""

    aliases: dict[Written, Annotated[str, Field(max_length=200)]] = Field(
        default_factory=dict,
        description="A name as a source writes it: the name that it should have, '' for unknown. Accents, case and "
        "punctuation don't matter. These go before the shipped table (schemas/artists.py, ALIASES)",
    )
    unknown: Literal["pooled", "apart"] = Field(
        "pooled",
        description="pooled: all works of unknown artists of one source count as one artist's when weights are drawn; "
        "apart: each such work counts as an artist of its own, and so is drawn far more often",
    )


_NAMES: dict[str, tuple[str, ...]] = {
    # the name that it should have: other names of the same person. Order, accents and case need no entry of their own.
    "Albrecht Dürer": ("Durer", "Albert Durer", "Albrecht Duerer", "Durer Albrecht"),
    "Alphonse Mucha": ("Alfons Mucha", "Alfons Maria Mucha", "Mucha Alphonse"),
    "Anthony van Dyck": ("van Dyck", "Sir Anthony van Dyck", "Antoon van Dyck", "Anton van Dyck"),
    "Antoine Watteau": ("Jean Antoine Watteau",),
    "Auguste Renoir": ("Pierre-Auguste Renoir", "Renoir"),
    "Bartolomé Esteban Murillo": ("Bartolome Murillo", "Murillo"),
    "Camille Corot": ("Jean-Baptiste-Camille Corot", "Corot"),
    "Camille Pissarro": ("Jacob Abraham Camille Pissarro", "Pissarro"),
    "Canaletto": ("Giovanni Antonio Canal", "Canaletto (Giovanni Antonio Canal)"),
    "Caravaggio": ("Michelangelo Merisi da Caravaggio", "Caravaggio (Michelangelo Merisi)", "Michelangelo Merisi"),
    "Claude Lorrain": ("Claude Gellée", "Claude Lorrain (Claude Gellée)"),
    "Claude Monet": ("Claude Oscar Monet", "Oscar-Claude Monet", "Monet Claude"),
    "Correggio": ("Antonio da Correggio", "Antonio Allegri da Correggio", "Correggio (Antonio Allegri)"),
    "Diego Velázquez": ("Diego Rodríguez de Silva y Velázquez", "Velázquez (Diego Rodríguez de Silva y Velázquez)", "Velazquez"),
    "Edgar Degas": ("Hilaire-Germain-Edgar Degas", "Degas Edgar"),
    "Edouard Manet": ("Manet Edouard",),
    "El Greco": ("El Greco (Domenikos Theotokopoulos)", "Domenikos Theotokopoulos", "Greco, El"),
    "Eugène Delacroix": ("Ferdinand-Victor-Eugène Delacroix",),
    "Fra Angelico": ("Guido di Pietro", "Fra Angelico (Guido di Pietro)", "Giovanni da Fiesole"),
    "Francisco Goya": (
        "Goya", "Francisco de Goya", "Francisco José de Goya y Lucientes", "Goya (Francisco de Goya y Lucientes)",
        "Francisco de Goya y Lucientes", "Goya Francisco",
    ),
    "Frans Hals": ("Franz Hals",),
    "Gerard ter Borch": ("Gerard ter Borch the Younger", "Gerard Terborch"),
    "Giorgio de Chirico": ("de Chirico Giorgio",),
    "Giorgione": ("Giorgio da Castelfranco", "Giorgione (Giorgio da Castelfranco)"),
    "Giovanni Battista Tiepolo": ("Giambattista Tiepolo",),
    "Giovanni Domenico Tiepolo": ("Giandomenico Tiepolo",),
    "Guercino": ("Giovanni Francesco Barbieri", "Guercino (Giovanni Francesco Barbieri)"),
    "Gustav Klimt": ("Klimt Gustav",),
    "Hans Baldung": ("Hans Baldung (called Hans Baldung Grien)", "Hans Baldung Grien"),
    "Hans Holbein the Younger": ("Hans Holbein (II)", "Hans Holbein d. J."),
    "Henri de Toulouse-Lautrec": ("Toulouse-Lautrec", "Henri Toulouse-Lautrec"),
    "Henri Matisse": ("Matisse Henri",),
    "Henri Rousseau": ("Le Douanier Rousseau", "Henri Julien Félix Rousseau"),
    "Hieronymus Bosch": ("Jheronimus Bosch", "Jeroen Bosch", "Jheronymus Bosch"),
    "Ilya Repin": ("Ilya Efimovich Repin", "Ilja Repin", "Ilya Yefimovich Repin"),
    "Ivan Aivazovsky": ("Ivan Konstantinovich Aivazovsky", "Iwan Aiwasowski", "Hovhannes Aivazovsky"),
    "Jacob van Ruisdael": ("Jacob Isaakszoon van Ruisdael", "Jacob Isaacksz. van Ruisdael"),
    "Jacopo Tintoretto": ("Tintoretto", "Jacopo Tintoretto (Jacopo Robusti)", "Jacopo Robusti"),
    "James McNeill Whistler": ("James Abbott McNeill Whistler", "J. A. M. Whistler"),
    "Jean Auguste Dominique Ingres": ("Ingres", "J. A. D. Ingres"),
    "Joan Miró": ("Joan Miró i Ferrà", "Miro Joan"),
    "Johannes Vermeer": ("Jan Vermeer", "Jan Vermeer van Delft", "Vermeer", "Johannes Vermeer van Delft"),
    "Joseph Mallord William Turner": ("William Turner", "J. M. W. Turner", "JMW Turner", "Turner William"),
    "Jusepe de Ribera": ("José de Ribera", "Giuseppe Ribera", "Jusepe de Ribera (called Lo Spagnoletto)"),
    "Katsushika Hokusai": ("Hokusai", "Hokusai Katsushika", "葛飾北斎"),
    "Kazimir Malevich": ("Kasimir Malewitsch", "Kazimir Severinovich Malevich", "Kasimir Malevich"),
    "Keisai Eisen": ("Eisen", "Ikeda Eisen", "渓斎英泉"),
    "Kitagawa Utamaro": ("Utamaro", "Kitagawa Utamaro I", "Utamaro Kitagawa", "喜多川歌麿"),
    "Leonardo da Vinci": ("Leonardo", "da Vinci Leonardo", "Da Vinci", "Vinci, Leonardo da"),
    "Lucas Cranach the Elder": ("Lucas Cranach (I)", "Lucas Cranach d. Ä.", "Lucas Cranach der Ältere"),
    "M.C. Escher": ("Maurits Cornelis Escher", "Escher M.C."),
    "Marc Chagall": ("Chagall Marc",),
    "Michelangelo": ("Michelangelo Buonarroti", "Michelagnolo Buonarroti", "Buonarroti Michelangelo"),
    "Pablo Picasso": ("Pablo Ruiz Picasso", "Picasso", "Picasso Pablo"),
    "Paolo Veronese": ("Veronese", "Paolo Caliari", "Paolo Veronese (Paolo Caliari)"),
    "Parmigianino": ("Francesco Mazzola", "Parmigianino (Girolamo Francesco Maria Mazzola)", "Il Parmigianino"),
    "Paul Cézanne": ("Cezanne Paul",),
    "Paul Gauguin": ("Eugène Henri Paul Gauguin", "Gauguin Paul"),
    "Peter Paul Rubens": ("Rubens", "Sir Peter Paul Rubens", "Pieter Paul Rubens"),
    "Piet Mondrian": ("Pieter Cornelis Mondriaan", "Piet Mondriaan", "Mondrian Piet"),
    "Pieter Bruegel the Elder": ("Pieter Brueghel the Elder", "Pieter Breughel the Elder", "Bruegel the Elder Pieter"),
    "Raphael": ("Raffaello Sanzio", "Raphael (Raffaello Sanzio or Santi)", "Raffaello Sanzio da Urbino", "Raphael Sanzio"),
    "Rembrandt": (
        "Rembrandt van Rijn", "Rembrandt (Rembrandt van Rijn)", "Rembrandt Harmensz. van Rijn",
        "Rembrandt Harmenszoon van Rijn",
    ),
    "René Magritte": ("Magritte Rene", "René François Ghislain Magritte"),
    "Rogier van der Weyden": ("Roger van der Weyden", "Rogier de la Pasture"),
    "Salvador Dalí": ("Dali", "Dali Salvador"),
    "Sandro Botticelli": ("Botticelli", "Alessandro Botticelli", "Alessandro di Mariano Filipepi", "Botticelli (Alessandro di Mariano Filipepi)"),
    "Suzuki Harunobu": ("Harunobu", "鈴木春信"),
    "Titian": ("Tiziano Vecellio", "Titian (Tiziano Vecellio)", "Tizian"),
    "Torii Kiyonaga": ("Kiyonaga", "鳥居清長"),
    "Toyohara Kunichika": ("Kunichika", "豊原国周"),
    "Tōshūsai Sharaku": ("Sharaku", "東洲斎写楽"),
    "Tsukioka Yoshitoshi": ("Yoshitoshi", "Taiso Yoshitoshi", "月岡芳年"),
    "Utagawa Hiroshige": ("Hiroshige", "Andō Hiroshige", "Ichiryusai Hiroshige", "Utagawa Hiroshige I", "歌川広重"),
    "Utagawa Kunisada": ("Kunisada", "Utagawa Toyokuni III", "Toyokuni III", "Utagawa Kunisada I", "歌川国貞"),
    "Utagawa Kuniyoshi": ("Kuniyoshi", "歌川国芳"),
    "Utagawa Toyokuni": ("Toyokuni", "Utagawa Toyokuni I", "歌川豊国"),
    "Vincent van Gogh": ("van Gogh", "Vincent Willem van Gogh", "van Gogh Vincent", "Gogh, Vincent van"),
    "Wassily Kandinsky": ("Vasily Kandinsky", "Vassily Kandinsky", "Wassily Wassilyevich Kandinsky"),
}  # fmt: skip

ALIASES: dict[str, str] = {alias: name for name, aliases in _NAMES.items() for alias in aliases}
