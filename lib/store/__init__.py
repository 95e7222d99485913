"""What the board remembers: config keys, secrets, append-only logs. Import store.config etc."""
