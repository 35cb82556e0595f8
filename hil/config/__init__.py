"""Settings and their files: strict models, errors that name the key, where files are found."""
