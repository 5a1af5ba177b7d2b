"""The page that a person looks at: what stages did, what was chosen, which copies were found."""
