"""One widget a file. A view gets frozen values and asks for more through jobs."""
