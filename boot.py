"""Runs first, after every reset. Yours: an update never touches it."""
