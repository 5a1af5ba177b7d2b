"""Sources: the collections that a recipe draws from, one file each."""

from typing import Annotated, get_args

from pydantic import Field

from schemas.sources.artic import ArticSource
from schemas.sources.commons import CommonsSource
from schemas.sources.flickr import FlickrSource
from schemas.sources.folder import FolderSource
from schemas.sources.met import MetSource
from schemas.sources.surrealism import SurrealismSource
from schemas.sources.table import TableSource
from schemas.sources.ukiyoe import UkiyoeSource
from schemas.sources.wikiart import WikiartSource

AnyFileSource = FolderSource | TableSource
AnyWebSource = ArticSource | CommonsSource | FlickrSource | MetSource | SurrealismSource | UkiyoeSource | WikiartSource
AnySource = Annotated[AnyFileSource | AnyWebSource, Field(discriminator="source")]
SOURCES = {
    str(kind.model_fields["source"].default): kind for kind in (*get_args(AnyFileSource), *get_args(AnyWebSource))
}
"""The kinds of sources by the words that recipes have for them."""
