"""Models of the files of rigs, robots and space arms, and the parts made from them."""
