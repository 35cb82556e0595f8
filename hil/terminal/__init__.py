"""What commands share: output for people or as JSON, exit statuses, options."""
