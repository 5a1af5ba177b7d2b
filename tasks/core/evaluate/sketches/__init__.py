"""How well sketches show what their photos show (Lin et al., "SketchRef", 2024)."""
