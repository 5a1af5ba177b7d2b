"""`bilderatlas serve` and `deploy`: `service` is all of it, `processes` starts `child`ren, `pool` starts runs."""
