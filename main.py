"""Starts the console. Yours: an update never touches it."""

import console

console.run()
