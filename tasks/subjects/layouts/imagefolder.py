"""`<split>/<style>/<image_id>.*`, as torchvision's ImageFolder reads them, and ArtBench's list of works."""

from tasks.core.artbench import style_labels
from tasks.core.unpack import file_name
from tasks.io.store.releases import Release
from tasks.subjects.layouts.parts import LayoutPart, LayoutRequest, damage_unless
from tasks.subjects.layouts.styled import list_documents, styled_rows


def parts(release: Release, request: LayoutRequest) -> dict[str, LayoutPart]:
    """A part for each split. Raises BadInput where no image has a style."""
    styled = styled_rows(release, request)
    side_px, labels, found = request.form.side_px, style_labels(styled.folders), {}
    for split, rows in styled.rows.items():
        names = {}
        for row in rows:
            name = damage_unless(release, file_name, row["image_id"], "PNG" if side_px else row["format"])
            names[row["image_id"]] = f"{styled.folders[row['style']]}/{name}"
        sized = [row if side_px is None else {**row, "width_px": side_px, "height_px": side_px} for row in rows]
        documents = list_documents(f"{split}.csv", sized, names, labels, styled.note(split))
        found[split] = LayoutPart(split, names, f"{split}.csv", documents, [split], rendition=request.form.rendition)
    return found
