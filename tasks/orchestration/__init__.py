"""Where a run runs, and what it tells Prefect: threads and clusters, task runs, progress, what becomes of a failure."""
