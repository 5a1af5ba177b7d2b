"""What Hugging Face's `datasets` reads in a Parquet schema: which columns are more than their type says.

A column that is not named there is what its Arrow type says, in every version of `datasets`; so only the image is
named, which is else a dictionary of bytes and path.
"""

import json

import pyarrow as pa

_IMAGE = {"info": {"features": {"image": {"_type": "Image"}}}}


def with_features(schema: pa.Schema) -> pa.Schema:
    """The schema of images whose bytes are in the table, which decode by themselves when they are read.

    Not for tables that only name the images' files: `datasets` would look for the path below the working folder.
    """
    return schema.with_metadata({**(schema.metadata or {}), b"huggingface": json.dumps(_IMAGE).encode()})
