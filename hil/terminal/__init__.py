"""Common parts of commands: output for people or as JSON, exit statuses, options."""
