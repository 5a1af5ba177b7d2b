"""Files that users provide or ask for: folders, tables, lists, contracts."""
