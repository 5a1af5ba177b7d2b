"""The metadata of schemas that Hugging Face's `datasets` reads. `make test-readers` holds it against the library."""

import json

from schemas.tables import IMAGES
from tasks.core.export.features import with_features


def test_the_image_is_named_and_all_else_is_what_its_type_says():
    written = with_features(IMAGES.with_metadata({"a": "b"}))
    assert written == IMAGES
    assert written.metadata[b"a"] == b"b"
    assert json.loads(written.metadata[b"huggingface"]) == {"info": {"features": {"image": {"_type": "Image"}}}}
