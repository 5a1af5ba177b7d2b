"""All families of cases, in the order of the table."""

from benchmarks.hostile import (
    answers,
    artists,
    catalogues,
    coco,
    damages,
    file_names,
    images,
    kills,
    recipes,
    servers,
    settings,
    spellings,
    stores,
    tables,
)
from benchmarks.hostile.cases import Family

FAMILIES: dict[str, Family] = {
    module.FAMILY.name: module.FAMILY
    for module in (
        images,
        file_names,
        tables,
        spellings,
        catalogues,
        artists,
        coco,
        recipes,
        settings,
        servers,
        answers,
        stores,
        damages,
        kills,
    )
}
