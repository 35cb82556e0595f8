"""`python -m hil` is the program `hil`.

Before this is loaded the package has taken the user's folder from where modules are looked for, and
has made sure that there is one installation.
"""

from hil.cli.entry import main

main()
