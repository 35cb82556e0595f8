"""The space arm on the command line: slow motions, the table of drive models, pictures of them."""
