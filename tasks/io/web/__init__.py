"""The web, asked as a guest: one request, many requests, what each host allows."""
