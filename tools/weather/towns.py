"""The canned weather: one row a town, and the sentences made of it."""

_ROWS = (
    # town, degrees Celsius, sky, rain, wind
    ("Aberdeen", 3, "snow clouds", False, "strong wind"),
    ("Belfast", 10, "overcast", True, "strong wind"),
    ("Brighton", 20, "sunny", False, "sea breeze"),
    ("Cardiff", 13, "cloudy", True, "fresh wind"),
    ("Edinburgh", 6, "clear", False, "strong wind"),
    ("Leeds", 19, "sunny", False, "light wind"),
    ("London", 22, "thunder clouds", True, "light wind"),
    ("Manchester", 11, "cloudy", True, "fresh wind"),
    ("Norwich", 8, "foggy", False, "no wind"),
    ("Plymouth", 17, "sunny", False, "sea breeze"),
    ("Rochdale", 9, "overcast", True, "strong wind"),
    ("York", 18, "bright", False, "light wind"),
)
_COAT_BELOW = 15


def names() -> list:
    """The towns of the table."""
    return [row[0] for row in _ROWS]


def needs_coat(town: str) -> bool:
    """Whether the advice for a town of the table is to wear a coat."""
    return next(row[1] for row in _ROWS if row[0] == town) < _COAT_BELOW


def report(town: str) -> str | None:
    """The weather of a town (in any case) and a line of advice; None for an unknown one."""
    for name, degrees, sky, rain, wind in _ROWS:
        if name.lower() == town.strip().lower():
            wet = "rain" if rain else "no rain"
            return (
                f"In {name} it is {degrees} °C, {sky}, with {wind} and {wet} (canned data). "
                f"{_advice(degrees < _COAT_BELOW, 'a coat', name)} "
                f"{_advice(rain, 'an umbrella', name)}"
            )
    return None


def _advice(needed: bool, what: str, town: str) -> str:
    return f"You {'need' if needed else 'do not need'} {what} in {town}."
