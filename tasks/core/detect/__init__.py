"""A detector's output: layouts of raw outputs, boxes as figures, counts of figures."""
