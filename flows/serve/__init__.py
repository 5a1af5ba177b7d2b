"""`bilderatlas serve`: Prefect's server, worker, deployments and automations on this machine."""
