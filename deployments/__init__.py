"""The calendar: recipes and where and when they are built. No logic."""
