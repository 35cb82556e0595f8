"""The simulated space arm beside the stations: its file, its study, its verbs."""
