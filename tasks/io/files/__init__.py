"""Files that people name or write: folders, tables, lists, contracts."""
