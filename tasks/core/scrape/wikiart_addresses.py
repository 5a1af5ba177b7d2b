"""What WikiArt can be asked for, by which address."""

from urllib.parse import quote

from schemas.sources.wikiart import WikiartSource
from tasks.core.scrape.web_source import SourceRequest
from tasks.core.scrape.wikiart_work import SITE, comparable_style, hyphenated

# the styles of UpdatedDictionaries (group 2) whose address is not their name in lower case with hyphens
_ADDRESSES = {
    "archaic": "archaic-period",
    "classical": "classical-period",
    "earlydynastic": "early-dynastic-period",
    "geometric": "geometric-period",
    "hellenistic": "hellenistic-period",
    "kanoschoolstyle": "kano-school",
    "lartpompier": "lart-pompier",
    "latebyzantinepalaeologanrenaissancec12611453": "late-byzantine-c-1261-1453",
    "naiveartprimitivism": "na-ve-art-primitivism",
    "nouveaurealisme": "nouveau-r-alisme",
    "sosakuhanga": "s-saku-hanga",
    "sumiesuibokuga": "suiboku-ga-0",
}


def address_of_style(style: str) -> str:
    """The last part of the address of a style's page.

    >>> address_of_style("Post-Impressionism"), address_of_style("Naïve Art (Primitivism)")
    ('post-impressionism', 'na-ve-art-primitivism')
    """
    return _ADDRESSES.get(comparable_style(style)) or hyphenated(style)


def all_artists_request(source: WikiartSource) -> SourceRequest:
    """The list of all artists; by json, where only the public domain is wanted, of those whose works are in it."""
    if source.by == "api2":
        return SourceRequest(f"{SITE}/en/api/2/UpdatedArtists", "api2_artists", needs_secret=True)
    is_limited = source.by == "json" and source.copyright == "public_domain"
    return SourceRequest(
        f"{SITE}/en/App/Artist/AlphabetJson?v=new{'&inPublicDomain=true' if is_limited else ''}", "artists"
    )


def artist_works_request(source: WikiartSource, artist: str) -> SourceRequest:
    """The listing of an artist's works by address: by page with 60 works at a time, by json all at once."""
    name = quote(artist, safe="")
    if source.by == "page":
        return SourceRequest(listing_url(f"{name}/mode/all-paintings", 1), "artist")
    return SourceRequest(f"{SITE}/en/App/Painting/PaintingsByArtist?artistUrl={name}&json=2", "works")


def api2_works_request(artist_id: str) -> SourceRequest:
    """The API's listing of an artist's works by id."""
    return SourceRequest(f"{SITE}/en/api/2/PaintingsByArtist?id={artist_id}", "api2_works", needs_secret=True)


def style_request(source: WikiartSource, style: str) -> SourceRequest:
    """The first page of the listing of a style."""
    place = quote(source.style_addresses.get(style) or address_of_style(style), safe="")
    return SourceRequest(listing_url(f"paintings-by-style/{place}", 1), "style")


def listing_url(path: str, page: int) -> str:
    """A page of a listing of works, as JSON; the parameters are those of the site's own gallery."""
    return f"{SITE}/en/{path}?json=2&layout=new&page={page}&resultType=masonry"


def work_request(source: WikiartSource, key: str) -> SourceRequest:
    """The answer about one work; in addresses of pages nothing but the slash between artist and work stays as it is."""
    if source.by == "json":
        return SourceRequest(f"{SITE}/en/App/Painting/ImageJson/{key}", "work", key)
    if source.by == "api2":
        return SourceRequest(f"{SITE}/en/api/2/Painting?id={key}", "api2_work", key, needs_secret=True)
    return SourceRequest(f"{SITE}/en/{quote(key)}", "page", key, expects="html")
