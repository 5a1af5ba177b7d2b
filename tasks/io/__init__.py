"""The hands: one outside thing per file. Nothing here decides, and nothing here knows Prefect or Dask."""
