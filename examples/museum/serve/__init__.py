"""The museum over HTTP on localhost, in the formats of the real sources, with faults on demand."""
