"""How answers are kept: what was retrieved, measured and decided, cut into parts, each once. No stage lives here."""
