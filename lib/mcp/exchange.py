"""One request to an MCP server, and what comes back for it. Knows no tool.

got = {}
for element in elements(connection, "tools/list", (), plan, got): ...
got[("result", "nextCursor")]

While the answer is waited for, requests of the server are answered on a second connection, its
progress is passed on, a stream that breaks is taken up again where the era allows it, and Ctrl-C
or a deadline tells the server that nobody waits any more.
"""

import time

from micropython import const

from mcp import elicit, jsonrpc, wire
from net import retry
from net.errors import Error

_RETRY_MS = const(1000)
_RETRY_MAX = const(30000)
_RESUMES = const(2)  # in a row that bring nothing new; as the official SDKs
_SMALL = (None, (("result",),), (16384, 16384), 2048)
_INITIALIZE = "initialize"


def result(conn, method, members=(), got=None):
    """Send a request; returns its result, known to be small, as a value."""
    got = {} if got is None else got
    for _ in elements(conn, method, members, _SMALL, got):
        pass
    return jsonrpc.value_of(got, "result")


def notify(conn, method, members=()):
    """Send a notification. Error if the server refuses it."""
    with conn.link.post(lambda: jsonrpc.request(None, method, members), conn.fields()) as response:
        if response.status_code >= 300:
            raise wire.refused(conn.link, response)


def elements(conn, method, members, plan, got, name=None, extra=()):
    """Send a request; yields the elements of the array that the plan names (wire.messages), and
    None if those so far were of a message that was not the answer.

    got    takes the values that the plan wants, and "session"
    name   what the request is about, for a header
    extra  more headers, as pairs
    """
    id = conn.new_id()
    members = tuple(members) + conn.meta(id)
    listener = _listener(conn) if name else None
    start = time.ticks_ms()
    seen = {}
    response = None
    try:
        response = _send(conn, lambda: jsonrpc.request(id, method, members), method, name, extra)
        conn.waiting = response, 0
        got["session"] = response.headers.get("mcp-session-id")
        while not (yield from _read(conn, _watch(conn, response, listener), id, plan, seen, got)):
            response.close()
            response = _resume(conn, seen, time.ticks_add(start, conn.waiting[1]))
            conn.waiting = response, conn.waiting[1]
    except KeyboardInterrupt:
        _cancel(conn, method, id, "the user stopped it")
        raise
    except Error as error:
        if error.kind == "timeout":
            _cancel(conn, method, id, "it took too long")
        raise _named(conn.link, error)
    finally:
        conn.waiting = None
        for stream in (response, listener):
            if stream:
                stream.close()


# Who can be asked something in the handshake era may be asked on a stream of its own.
def _listener(conn):
    if conn.era != "legacy" or not conn.on_elicit or not conn.listens:
        return None
    from mcp import listen  # lazy: only where somebody can be asked

    return listen.Listener(conn, lambda values: _serve(conn, values))


def _watch(conn, response, listener):
    if not listener:
        return response
    from mcp import listen

    return listen.Watched(response, listener, conn.link)


# A session that the server does not know any more is made anew, once.
def _send(conn, body, method, name, extra):
    fresh = False
    while True:
        fields = conn.fields(method, name) + tuple(extra)
        response = conn.link.post(body, fields)
        if response.status_code < 300:
            return response
        with response:
            error = wire.refused(conn.link, response)
        if fresh or not conn.session or not _is_gone(error):
            raise error
        conn.renew()
        fresh = True


# 404 says it; some servers answer 400 with words about the session.
def _is_gone(error):
    return error.status == 404 or error.status == 400 and "session" in str(error).lower()


# The messages of one reply; returns whether ours was among them. One that breaks off can be taken
# up again if it had an event id.
def _read(conn, response, id, plan, seen, got):
    some = False
    try:
        for kind, what in wire.messages(response, plan, seen):
            if kind == "element":
                some = True
                yield what
            elif ("method",) in what:
                _serve(conn, what)
            elif _is_ours(what, id):
                error = jsonrpc.failure(what, conn.link.name)
                if error:
                    raise error
                got.update(what)
                return True
            elif some:
                some = False
                yield None
    except Error as error:
        if error.kind != "net" or not _is_resumable(conn, seen):
            raise
    return False


# What a lower layer says may lack a name, or not have that which the person gave.
def _named(link, error):
    whole = link.label is None and error.kind != "protocol"
    if not whole and not error.message.startswith(link.name):
        error.message = "%s: %s" % (link.name, error.message)
    return error


# An error may come without the id of what it is about; then it is about what is asked just now.
def _is_ours(values, id):
    said = values.get(("id",))
    if said == b"%d" % id:
        return True
    return ("error",) in values and not (said and said.isdigit())


def _is_resumable(conn, seen):
    return conn.era == "legacy" and bool(seen.get("id"))


def _resume(conn, seen, start):
    if not _is_resumable(conn, seen):
        words = "%s: the reply ended before its answer" % conn.link.name
        raise Error("net", words, "the same again")
    failed = seen.get("failed", 0) if seen.get("since") == seen["id"] else 0
    while True:
        retry.pause(min(seen.get("retry", _RETRY_MS), _RETRY_MAX) / 1000)
        left = conn.link.total_ms - time.ticks_diff(time.ticks_ms(), start)
        if left <= 0:
            words = "%s took more than %g s in all" % (conn.link.name, conn.link.total_ms / 1000)
            raise Error("timeout", words, "the same again, or a longer timeout")
        if failed == _RESUMES:
            raise Error("net", "%s: the stream cannot be resumed" % conn.link.name)
        failed += 1
        seen["failed"] = failed
        seen["since"] = seen["id"]
        try:
            response = conn.link.resume(conn.fields(), seen["id"], left)
        except Error as error:
            if error.kind != "net":
                raise
            continue
        if response.status_code == 200:
            return response
        with response:
            raise wire.refused(conn.link, response)


# A message with a method comes from the server; what it asks is answered, so that it goes on.
def _serve(conn, values):
    method = str(jsonrpc.value_of(values, "method"))
    params = jsonrpc.value_of(values, "params")
    id = values.get(("id",))
    if id is None:
        if method == "notifications/progress" and conn.on_progress and isinstance(params, dict):
            conn.on_progress(params.get("progress"), params.get("total"), params.get("message"))
    elif conn.era == "legacy":
        since = time.ticks_ms()
        try:
            answer = jsonrpc.dump(elicit.answer(method, params, conn.on_elicit))
            body = jsonrpc.result(id, answer)
        except Error as error:
            if not jsonrpc.code_of(error):
                raise
            body = jsonrpc.refusal(id, error.code, str(error))
        _forgive(conn, time.ticks_diff(time.ticks_ms(), since))
        conn.link.post(body, conn.fields()).close()


# The time that a person thought is none that the server took.
def _forgive(conn, ms):
    if conn.waiting:
        response, before = conn.waiting
        response.extend(ms)
        conn.waiting = response, before + ms


# In the modern era a closed connection says it. Who says hello cannot take it back.
def _cancel(conn, method, id, reason):
    if conn.era != "legacy" or method == _INITIALIZE:
        return
    members = ((b"requestId", b"%d" % id), (b"reason", jsonrpc.dump(reason)))
    body = jsonrpc.request(None, "notifications/cancelled", members)
    conn.link.tell(tuple(body), conn.fields())
