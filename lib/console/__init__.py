"""The serial console: `console.run()`. Its parts are imported when they are needed."""


def run():
    """Talk to the person at the serial line until they leave for the REPL (Ctrl-C)."""
    from console import shell

    shell.run()
