"""Prefect's server, a worker and the deployments of one machine, for `bilderatlas serve` and `deploy`.

`service` is all of it: `child` is what server and worker run, `processes` starts and ends them, `server` is the server,
`pool` is how the worker starts runs, `pages` shows releases.
`forms` makes the parameter schema of a recipe, `deployments` reads what is to be deployed and writes it to a server,
`automations` says what follows from an event, `lost_runs` finds the runs that a stop has interrupted.
"""
