"""Names of artists and styles: which of them are one."""
