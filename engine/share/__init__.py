"""Sharing: threads and requests as HTML, Markdown and JSON, snippets to copy, and reading the JSON back."""
