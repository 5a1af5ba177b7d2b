"""What sources answer, as records: one file per source or format. Bytes and values in, rows out."""
