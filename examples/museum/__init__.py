"""The pretend museum: painted works whose figures, copies and faults are known."""
