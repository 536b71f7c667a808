"""What a person looks at: pages, tables of scores, charts."""
