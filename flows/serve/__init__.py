"""Prefect's server, a worker and the deployments of one machine, for `bilderatlas serve` and `deploy`: `service` is all
of it. `child` is what server and worker run, started by `processes`; `pool` is how the worker starts runs.
"""
