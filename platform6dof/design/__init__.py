"""Design of hexapods: sizes on two circles under constraints, and the front of the best of them."""
