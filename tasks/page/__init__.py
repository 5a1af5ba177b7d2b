"""What people see of a run: tables and pictures on Prefect's page, events, the terminal's summary."""
