"""ai config and ai models: who answers, chosen in a dialogue and tried before it is saved."""

from micropython import const

from ai import catalogue, usetypes
from console import commands
from console.screen import short
from net.errors import Error

_SHOWN = const(20)  # models at once
_LINE = const(100)
_SET, _NOT_SET = "(set)", "(not set)"
_KEEP = "Enter takes what is in [], Ctrl-D leaves without saving, Ctrl-C stops."


class _Left(Exception):
    """The person left the dialogue."""


def run(rest, out):
    """ai config: every use-type; ai config TYPE: one."""
    use = rest.strip()
    out.write(_KEEP + "\n")
    try:
        if use:
            usetypes.check(use)
            _use(use, out)
            return
        _use("general", out)
        for use in usetypes.USES[1:]:
            if _agrees(out, "another model for '%s' than for general?" % use, False):
                _use(use, out)
    except _Left:
        out.write("left; what was not saved is as it was\n")


def models(rest, out):
    """ai models [PROVIDER] [PART]: the models that a provider offers now."""
    words = rest.split()
    provider = words.pop(0) if words and _is_provider(words[0]) else None
    if len(words) > 1:
        raise commands.usage("ai models takes a PROVIDER and a PART of a name")
    part = words[0] if words else ""
    count = 0
    for id in _fetch({"provider": provider}, "general"):
        if part.lower() in id.lower():
            out.write("  %s\n" % short(id, _LINE))
            count += 1
    if not count:
        raise Error(
            "config", "no model%s" % (" has '%s' in its name" % short(part, 40)), "ai models"
        )


# The settings of one use-type: asked for, tried, shown, saved.
def _use(use, out):
    out.write("%s:\n" % use)
    chosen = {"provider": _provider(use, out)}
    row = catalogue.find(chosen["provider"])
    same = usetypes.get(use, "provider") == row[0]
    _key(use, row, same, chosen, out)
    _url(use, row, same, chosen, out)
    chosen["model"] = _model(use, row, same, chosen, out)
    if _try(use, row, chosen, out) or _agrees(out, "save it all the same?", False):
        _save(use, chosen, out)


def _provider(use, out):
    rows = catalogue.rows()
    for i, row in enumerate(rows):
        out.write("  %d %-10s %s\n" % (i + 1, row[0], row[1]))
    now = usetypes.get(use, "provider")
    while True:
        said = _ask(out, "provider", now)
        if said.isdigit() and 0 < int(said) <= len(rows):
            return rows[int(said) - 1][0]
        if _is_provider(said):
            return said
        out.write("  a number or a name of the list\n")


# A key is for one provider: that of another one is not taken along.
def _key(use, row, same, chosen, out):
    if not row[4]:
        return
    there = same and usetypes.get(use, "key") is not None
    while True:
        said = _ask(out, "key of %s (not shown)" % row[1], _SET if there else None, True)
        if said != _SET or not there:
            chosen["key"] = said
        if said:
            return


# Who wants no key is a server of one's own, anywhere.
def _url(use, row, same, chosen, out):
    if row[4]:
        return
    now = usetypes.get(use, "url") if same else None
    chosen["url"] = _ask(out, "url", now or row[3])


def _model(use, row, same, chosen, out):
    now = usetypes.get(use, "model") if same else None
    now = now or row[5]
    part = ""
    while True:
        shown, count = _list(use, chosen, part, out)
        if part and count == 1:
            return shown[0]
        if part and not count and _agrees(out, "take '%s' as it is?" % short(part, 60), False):
            return part
        said = _ask(out, "model: a number, or a part of a name", now)
        if said.isdigit() and 0 < int(said) <= len(shown):
            return shown[int(said) - 1]
        # Without a list every name has to do.
        if said == now or said in shown or count is None:
            return said
        part = said


# The models with a part in their name: (those shown, how many there are; None: no list came).
def _list(use, chosen, part, out):
    shown = []
    count = 0
    try:
        for id in _fetch(chosen, use):
            if part.lower() not in id.lower():
                continue
            count += 1
            if len(shown) < _SHOWN:
                shown.append(id)
                out.write("  %2d %s\n" % (count, short(id, _LINE)))
    except Error as error:
        out.error(error)
        return shown, None
    if count > len(shown):
        out.write("     ... and %d more\n" % (count - len(shown)))
    elif not count:
        out.write("  no model%s is listed\n" % (" with '%s'" % short(part, 40) if part else ""))
    return shown, count


def _fetch(chosen, use):
    from ai import models

    given = {name: chosen.get(name) for name in ("provider", "key", "url")}
    return models.fetch_models(use=use, **given)


# A word, then a tool; True if it answered. Puts the tools level to what was chosen.
def _try(use, row, chosen, out):
    from ai import probe

    try:
        out.write("  asking %s ... " % short(chosen["model"], 60))
        seconds, text = probe.answer(use, **chosen)
        out.write("%s (%.1f s)\n" % (short(text, 60), seconds))
        out.write("  with a tool ... ")
        level = probe.tools_level(use, **chosen)
        out.write(level + "\n")
        chosen["tools_level"] = level
        return True
    except Error as error:
        out.error(error)
        return False


def _save(use, chosen, out):
    from store import config

    before = {}
    for name in sorted(chosen):
        key = "ai.%s.%s" % (use, name)
        old = config.get(key)
        if old == chosen[name]:
            continue
        before[key] = chosen[name]
        if config.is_secret(key):
            out.write("  %s: %s -> %s\n" % (key, _NOT_SET if old is None else _SET, _SET))
        else:
            out.write("  %s: %s -> %s\n" % (key, _NOT_SET if old is None else old, chosen[name]))
    if not before:
        out.write("  nothing changes\n")
    elif _agrees(out, "save?", True):
        if config.get("ai.%s.provider" % use) != chosen["provider"]:
            usetypes.forget_provider(use)
        for key, value in before.items():
            config.set(key, value)
        out.write("  saved\n")
    else:
        raise _Left


def _ask(out, what, default, mask=False):
    while True:
        shown = "" if default is None else " [%s]" % short(default, 60)
        said = out.ask("  %s%s> " % (what, shown), mask)
        if said is None:
            raise _Left
        said = said.strip()
        if said or default is not None:
            return said or default


def _agrees(out, question, default):
    said = out.ask("  %s [%s]> " % (question, "yes" if default else "no"))
    if said is None:
        raise _Left
    said = said.strip().lower()
    return default if not said else said in ("y", "yes")


def _is_provider(word):
    return any(row[0] == word for row in catalogue.rows())
