"""What the files of rigs, robots and space arms say, and what follows from them."""
