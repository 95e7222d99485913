"""The server that the board talks to: OpenAI's chat completions, on top of the engine.

app(engine_url) -> an ASGI application

A question with tools goes through tools.localmodel.choose; everything else goes to the engine as
it is. Replies are streamed, and an engine whose reader has gone stops.
"""

import asyncio
import json
import time

import httpx2
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tools.localmodel import NAME, choose, prompt

_CHAT = "/v1/chat/completions"
_PASSED_ON = ("stream_options", "response_format", "stop", "top_p", "temperature")


class Front:
    """The routes."""

    def __init__(self, engine_url: str):
        self._engine = httpx2.AsyncClient(base_url=engine_url, timeout=None)

    async def chat(self, request):
        """POST /v1/chat/completions."""
        try:
            body = await request.json()
            messages, functions = prompt.request(body)
        except ValueError as error:
            return _refused(f"not a chat completion request: {error}")
        return await _while_wanted(request, self._chat(body, messages, functions))

    async def models(self, request):
        """GET /v1/models."""
        model = {"id": NAME, "object": "model", "created": 0, "owned_by": "HuggingFaceTB"}
        return JSONResponse({"object": "list", "data": [model]})

    async def tags(self, request):
        """GET /api/tags, as Ollama has it."""
        return JSONResponse({"models": [{"name": NAME, "model": NAME}]})

    async def _chat(self, body, messages, functions):
        last = messages[-1]["role"]
        if last == "tool":
            # Without the cache, which rounds differently: the same facts, the same answer.
            more = {"cache_prompt": False, **prompt.from_facts(messages)}
            return await self._answer(body, more)
        if functions and last == "user":
            asked = prompt.questions(messages)
            function = choose.tool(asked, functions)
            if function:
                return await self._call(body, function, asked, f"call_{len(messages)}")
        return await self._answer(body, {"messages": prompt.cut(messages)})

    async def _answer(self, body, more):
        most = body.get("max_tokens") or body.get("max_completion_tokens") or prompt.ANSWER_MAX
        sent = {key: body.get(key) for key in _PASSED_ON}
        sent["temperature"] = sent["temperature"] or 0
        sent |= {"max_tokens": most, "stream": bool(body.get("stream")), "seed": 1, **more}
        sent = {key: value for key, value in sent.items() if value is not None}
        request = self._engine.build_request("POST", _CHAT, json=sent)
        reply = await self._engine.send(request, stream=True)
        kind = reply.headers.get("content-type")
        return StreamingResponse(_passed_on(reply), reply.status_code, media_type=kind)

    async def _call(self, body, function, asked, id):
        args, usage = await self._arguments(function, asked)
        call = {
            "index": 0,
            "id": id,
            "type": "function",
            "function": {"name": function["name"], "arguments": args},
        }
        if not body.get("stream"):
            message = {"role": "assistant", "content": "", "tool_calls": [call]}
            reply = _object("", message=message, finish="tool_calls")
            return JSONResponse({**reply, "usage": usage})
        options = body.get("stream_options")
        with_usage = isinstance(options, dict) and options.get("include_usage")
        events = _call_events(call, usage if with_usage else None)
        return StreamingResponse(events, media_type="text/event-stream")

    # (arguments as JSON, usage). The model fills in what the schema asks for; a schema that is no
    # grammar gets no arguments.
    async def _arguments(self, function, asked) -> tuple:
        schema = choose.arguments(function, asked)
        if not schema["properties"]:
            return "{}", _usage({})
        sent = {
            "messages": prompt.for_arguments(schema, asked),
            "temperature": 0,
            "seed": 1,
            "cache_prompt": False,
            "max_tokens": prompt.ANSWER_MAX,
            "response_format": {"type": "json_schema", "json_schema": {"schema": schema}},
        }
        reply = (await self._engine.post(_CHAT, json=sent)).json()
        try:
            args = json.loads(reply["choices"][0]["message"]["content"])
        except (KeyError, ValueError, TypeError):
            args = {}
        return json.dumps(args, ensure_ascii=False), _usage(reply.get("usage") or {})


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


# The response that is in the works; if the client leaves before, the engine is freed.
async def _while_wanted(request, work):
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        return await working if working.done() else Response(status_code=499)
    finally:
        working.cancel()
        leaving.cancel()


async def _gone(request):
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _passed_on(reply):
    try:
        async for piece in reply.aiter_raw():
            yield piece
    finally:
        await reply.aclose()


def _call_events(call, usage):
    yield _event(_object(".chunk", delta={"role": "assistant", "tool_calls": [call]}))
    yield _event(_object(".chunk", delta={}, finish="tool_calls"))
    if usage:
        yield _event({**_object(".chunk"), "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _usage(found: dict) -> dict:
    return {
        key: found.get(key, 0) for key in ("prompt_tokens", "completion_tokens", "total_tokens")
    }


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
