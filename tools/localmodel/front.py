"""The server that the board talks to: OpenAI's chat completions, on top of the engine.

app(engine_url) -> an ASGI application

A question with tools goes through tools.localmodel.choose; everything else goes to the engine as
it is. Replies are streamed, and an engine whose reader has gone stops.
"""

import json
import time

import httpx2
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from tools.localmodel import NAME, choose
from tools.localmodel.engine import CONTEXT

_CHAT = "/v1/chat/completions"
_ANSWER_MAX = 200  # tokens, where the request names no number
_FACTS_MAX = 4000  # characters
# Characters, of which a token has more than three; the answer needs room as well.
_PROMPT_MAX = (CONTEXT - 2 * _ANSWER_MAX) * 3
_EXAMPLE = (
    {"role": "system", "content": "Copy the values from the text into JSON."},
    {"role": "user", "content": "Text: is the train to Bath late?\nCopy: station"},
    {"role": "assistant", "content": '{"station":"Bath"}'},
)


class Front:
    """The routes."""

    def __init__(self, engine_url: str):
        self._engine = httpx2.AsyncClient(base_url=engine_url, timeout=None)

    async def chat(self, request):
        """POST /v1/chat/completions."""
        try:
            body = await request.json()
            messages = [m for m in body["messages"] if isinstance(m, dict)]
        except (ValueError, KeyError, TypeError):
            return _refused("this is not a chat completion request")
        if not messages:
            return _refused("there are no messages")
        tools = [t["function"] for t in body.get("tools") or () if t.get("function")]
        if messages[-1]["role"] == "tool":
            return await self._answer(body, _from_facts(messages))
        if tools and messages[-1]["role"] == "user":
            function = choose.tool(*_questions(messages)[:2], tools)
            if function:
                return await self._call(body, messages, function)
        return await self._answer(body, {"messages": _cut(messages)})

    async def models(self, request):
        """GET /v1/models."""
        model = {"id": NAME, "object": "model", "created": 0, "owned_by": "HuggingFaceTB"}
        return JSONResponse({"object": "list", "data": [model]})

    async def tags(self, request):
        """GET /api/tags, as Ollama has it."""
        return JSONResponse({"models": [{"name": NAME, "model": NAME}]})

    async def _answer(self, body, more):
        sent = {
            "temperature": body.get("temperature") or 0,
            "max_tokens": body.get("max_tokens")
            or body.get("max_completion_tokens")
            or _ANSWER_MAX,
            "stream": bool(body.get("stream")),
            "stream_options": body.get("stream_options"),
            "response_format": body.get("response_format"),
            "model": NAME,
            "seed": 1,
            **more,
        }
        sent = {key: value for key, value in sent.items() if value is not None}
        request = self._engine.build_request("POST", _CHAT, json=sent)
        reply = await self._engine.send(request, stream=True)
        kind = reply.headers.get("content-type")
        return StreamingResponse(_passed_on(reply), reply.status_code, media_type=kind)

    async def _call(self, body, messages, function):
        args = await self._arguments(function, messages)
        call = {
            "index": 0,
            "id": f"call_{len(messages)}",
            "type": "function",
            "function": {"name": function["name"], "arguments": args},
        }
        if not body.get("stream"):
            message = {"role": "assistant", "content": "", "tool_calls": [call]}
            return JSONResponse(_object("", message=message, finish="tool_calls"))
        with_usage = (body.get("stream_options") or {}).get("include_usage")
        return StreamingResponse(_call_events(call, with_usage), media_type="text/event-stream")

    # The model fills in what the schema asks for; a schema that is no grammar gets no arguments.
    async def _arguments(self, function, messages) -> str:
        question = _questions(messages)[0][-1000:]
        schema = choose.arguments(function.get("parameters") or {}, question)
        if not schema["properties"]:
            return "{}"
        text = f"Text: {question}\nCopy: {', '.join(schema['properties'])}"
        sent = {
            "messages": [*_EXAMPLE, {"role": "user", "content": text}],
            "temperature": 0,
            "seed": 1,
            "max_tokens": _ANSWER_MAX,
            "response_format": {"type": "json_schema", "json_schema": {"schema": schema}},
        }
        reply = await self._engine.post(_CHAT, json=sent)
        try:
            args = json.loads(reply.json()["choices"][0]["message"]["content"])
        except (KeyError, ValueError, TypeError):
            return "{}"
        return json.dumps(args, ensure_ascii=False) if isinstance(args, dict) else "{}"


def app(engine_url: str) -> Starlette:
    """The application."""
    front = Front(engine_url)
    return Starlette(
        routes=[
            Route(_CHAT, front.chat, methods=["POST"]),
            Route("/v1/models", front.models),
            Route("/api/tags", front.tags),
        ]
    )


# (the last question, the one before it)
def _questions(messages):
    asked = [_text(m) for m in messages if m.get("role") == "user"]
    return (asked[-1] if asked else ""), (asked[-2] if len(asked) > 1 else "")


# A prompt for the answer to the last question, out of what the tool said.
def _from_facts(messages) -> dict:
    question, earlier = _questions(messages)
    calls = [_arguments_of(m) for m in messages if m.get("tool_calls")]
    before = calls[-2] if len(calls) > 1 else {}
    question = choose.whole_question(question, earlier, before, calls[-1] if calls else {})
    facts = _text(messages[-1])[:_FACTS_MAX]
    prompt = f"{question}\n\nFacts: {facts}\n\nRepeat the fact that answers the question."
    found = choose.sentences(facts)
    more = {"messages": [{"role": "user", "content": prompt}]}
    if found:
        more["grammar"] = choose.grammar(found, choose.answers(question, found))
    return more


def _arguments_of(message) -> dict:
    try:
        args = json.loads(message["tool_calls"][-1]["function"]["arguments"])
    except (KeyError, ValueError, TypeError):
        return {}
    return args if isinstance(args, dict) else {}


# The latest messages that fit the model's context, the system prompt among them; text only.
def _cut(messages) -> list:
    plain = [{"role": m["role"], "content": _text(m)} for m in messages if m["role"] != "tool"]
    head = [m for m in plain[:1] if m["role"] == "system"]
    room = _PROMPT_MAX - sum(len(m["content"]) for m in head)
    if room < _PROMPT_MAX // 2:
        head[0]["content"] = head[0]["content"][: _PROMPT_MAX // 2]
        room = _PROMPT_MAX // 2
    kept = []
    for message in reversed(plain[len(head) :]):
        message["content"] = message["content"][-room:] if room else ""
        room -= len(message["content"])
        if not message["content"]:
            break
        kept.insert(0, message)
    return head + kept


def _text(message) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return " ".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return content or ""


async def _passed_on(reply):
    try:
        async for piece in reply.aiter_raw():
            yield piece
    finally:
        await reply.aclose()


def _call_events(call, with_usage):
    yield _event(_object(".chunk", delta={"role": "assistant", "tool_calls": [call]}))
    yield _event(_object(".chunk", delta={}, finish="tool_calls"))
    if with_usage:
        usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
        yield _event({**_object(".chunk"), "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _object(kind, finish=None, **choice) -> dict:
    return {
        "id": f"chatcmpl-{time.monotonic_ns()}",
        "object": "chat.completion" + kind,
        "created": int(time.time()),
        "model": NAME,
        "choices": [{"index": 0, **choice, "finish_reason": finish}],
    }


def _event(value) -> bytes:
    return b"data: %s\n\n" % json.dumps(value, ensure_ascii=False).encode()


def _refused(message):
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    return JSONResponse({"error": error}, 400)
