"""A package, since another one of this name lies in the environment: torch-fidelity installs its own tests."""
