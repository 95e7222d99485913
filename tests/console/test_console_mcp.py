"""mcp, and the tools it brings to ai, over the serial line."""

import json
import threading

import pytest
from console_servers import (
    END,
    STREAM,
    WEATHER,
    McpScript,
    Server,
    calls,
    event,
    reply,
    roles,
    says,
)
from mcp_sdk_server import SdkServer
from serial_console import complaint


def test_a_tool_is_called_and_the_answer_comes_from_its_result(console, model, weather):
    replies = [
        calls("get_weather", '{"city": "Rochdale"}'),
        says("Yes, it rains ", "in Rochdale."),
    ]
    model.script = lambda request: replies.pop(0)
    assert console.run("ai -tools") == "weather: 1 tool\n"
    assert console.run("ai do I need a coat in Rochdale?") == (
        '[get_weather {"city": "Rochdale"}]\n'
        "[-> Rochdale: rain, 9 degrees]\n"
        "Yes, it rains in Rochdale.\n"
    )
    first, second = model.requests
    assert first.json["tools"][0]["function"]["name"] == "get_weather"
    assert roles(second)[-1] == ("tool", "Rochdale: rain, 9 degrees")


def test_nothing_a_model_or_a_tool_says_drives_the_terminal(console, model, weather):
    evil = "\x1b[2J\x1b]0;title\x07\x9b1mX\x7f"
    weather.script.tools = {"get_weather": ("does " + evil, "rain " + evil)}
    arguments = json.dumps({"city": evil}, ensure_ascii=False)
    replies = [calls("get_weather", arguments), says("Hello " + evil)]
    model.script = lambda request: replies.pop(0)
    text = console.run("ai -tools") + console.run("ai tools list") + console.run("ai weather?")
    text += console.run('mcp call weather get_weather {"city": "x"}') + console.run(
        "mcp test weather"
    )
    model.script = lambda request: [reply({"error": {"message": evil}}, "400 Bad Request")]
    text += console.run("ai more?")
    assert "rain [2J" in text and "Hello [2J" in text
    assert not [c for c in text if (c < " " and c != "\n") or "\x7f" <= c < "\xa0"]


def test_tools_are_listed_and_cleared_and_then_not_offered(console, model, weather):
    assert "no tools" in console.run("ai tools list")
    console.run("ai -tools")
    text = console.run("ai tools list")
    assert "get_weather" in text and "weather" in text and "Weather of a town." in text
    assert "More." not in text
    assert console.run("ai tools") == text
    assert "1 tool" in console.run("ai tools clear")
    console.run("ai plain?")
    assert not model.requests[0].json.get("tools")


def test_a_server_that_is_down_keeps_its_tools_and_says_so(console, model, weather):
    console.run("ai -tools")
    weather.stop()
    text = console.run("ai -tools")
    assert text.startswith("weather: no answer, its old tools stay\nai: ")
    assert "\n  try: " in text
    assert "get_weather" in console.run("ai tools list")


def test_no_server_yet_says_how_to_add_one(console):
    for line in ("ai -tools", "mcp"):
        assert console.run(line) == "no MCP server yet\n  try: mcp add NAME URL\n"


def test_no_server_no_host_and_no_wifi_are_told_apart(console, model, virtual):
    model.stop()
    refused = complaint(console.run("ai hello?", seconds=30))
    assert "127.0.0.1" in refused
    console.run("config ai.general.url http://no-such-host.invalid/v1")
    assert "no-such-host.invalid" in complaint(console.run("ai hello?", seconds=30))
    virtual.wifi(False)
    assert "Wi-Fi" in complaint(console.run("ai hello?", seconds=30))
    assert "Wi-Fi" in complaint(
        console.run("mcp add w http://h.invalid/") and console.run("mcp test w")
    )


def test_wrong_words_are_one_line_and_a_try_line(console, model):
    for line, words in (
        ("config ai.general.provider frobnicate", "frobnicate"),
        ("ai -u", "-u needs a TYPE"),
        ("ai -z what", "no option -z"),
        ("mcp add weather", "takes a NAME and a URL"),
        ("mcp add weather ftp://host", "http:// or https://"),
        ("mcp add we.ather http://host/", "letters, digits"),
        ("mcp del nobody", "no MCP server 'nobody'"),
        ("mcp del", "which server"),
        ("mcp test nobody", "no MCP server 'nobody'"),
        ("mcp tools", "which server"),
        ("mcp call nobody x", "no MCP server 'nobody'"),
        ("mcp frobnicate", "no command 'mcp frobnicate'"),
    ):
        assert words in complaint(console.run(line)), line


def test_mcp_lists_tests_calls_and_forgets_a_server(console, weather):
    assert console.run("mcp") == f"  weather      {weather.url}/mcp\n"
    text = console.run("mcp test weather")
    assert text.startswith("weather: scripted") and " ms\n" in text and "2025-06-18" in text
    assert "  get_weather(city, days?)\n" in text and "Weather of a town." in text
    assert "get_weather(city, days?)" in console.run("mcp tools weather")
    line = 'mcp call weather get_weather {"city": "Rochdale"}'
    assert console.run(line) == "Rochdale: rain, 9 degrees\n"
    console.run("ai -tools")
    assert console.run("mcp del weather") == "weather is forgotten, and 1 tools of it\n"
    assert "no tools" in console.run("ai tools list")
    assert "no MCP server yet" in console.run("mcp")


def test_arguments_of_mcp_call_are_checked_before_the_server_is_asked(console, weather):
    count = len(weather.requests)
    for line in (
        "mcp call weather",
        "mcp call weather get_weather city",
        "mcp call weather g [1]",
    ):
        complaint(console.run(line))
    assert len(weather.requests) == count


def test_a_tool_that_fails_is_an_error_at_the_console(console, weather):
    weather.script.tools = {"get_weather": ("", "no such town")}
    text = complaint(console.run('mcp call weather get_weather {"city": "Atlantis"}'))
    assert "no such town" in text


def test_a_token_and_headers_go_to_the_server_and_are_not_shown(online, host):
    console = online
    with Server(host, McpScript(WEATHER)) as server:
        line = f"mcp add w {server.url}/mcp --token t0ken"
        assert "t0ken" not in console.run(line + ' --header "X-Team: he4der"')
        console.run("mcp test w")
        headers = server.requests[-1].headers
        assert headers["authorization"] == "Bearer t0ken" and headers["x-team"] == "he4der"
        text = console.run("config")
        assert "t0ken" not in text and "he4der" not in text and "mcp.w.token = (set)" in text


def test_ctrl_c_stops_a_tool_and_the_conversation_goes_on(console, model, weather):
    over = threading.Event()
    console.run("ai -tools")
    weather.script.tools_call = lambda params: over.wait(30) and {"content": []}
    model.script = lambda request: calls("get_weather", '{"city": "Leeds"}')
    console.send("ai do I need a coat in Leeds?")
    console.expect('[get_weather {"city": "Leeds"}]\r\n')
    console.type("\x03")
    assert console.prompt() == "(stopped)\n"
    over.set()
    model.script = lambda request: says("Never mind.")
    assert console.run("ai never mind") == "Never mind.\n"
    sent = [role for role, _ in roles(model.requests[-1])]
    assert sent == ["user", "assistant", "tool", "user"]


def test_color_is_switched_at_once(console, model, weather):
    console.run("ai -tools")
    for value, dim in (("on", "\x1b[2m"), ("off", "")):
        replies = [calls("get_weather", '{"city": "Leeds"}'), says("Yes.")]
        model.script = lambda request, replies=replies: replies.pop(0)
        console.run("config console.color " + value)
        assert console.run("ai coat?").startswith(dim + "[get_weather ")


class Asking(McpScript):
    """A server whose tool asks how many, in the middle of a call, and says what it was told."""

    def __init__(self):
        super().__init__({"order": ("Orders cakes.", "")})
        self.answered = threading.Event()
        self.answer = None

    def __call__(self, request):
        message = json.loads(request.body or b"{}")
        if message.get("method") == "tools/call":
            return self._order(message)
        if "result" in message and message.get("id") == "ask-1":
            self.answer = message["result"]
            self.answered.set()
            return [reply(b"", "202 Accepted")]
        return super().__call__(request)

    def _order(self, message):
        properties = {
            "count": {"type": "integer", "title": "How many"},
            "kind": {"enum": ["plain", "sweet"], "default": "sweet"},
        }
        schema = {"type": "object", "properties": properties, "required": ["count"]}
        ask = {"message": "Your order\x1b[2J?", "requestedSchema": schema}
        yield STREAM
        done = {"progressToken": 0, "progress": 1, "total": 4, "message": "look\x07ing"}
        yield event({"jsonrpc": "2.0", "method": "notifications/progress", "params": done})
        request = {"method": "elicitation/create", "params": ask}
        yield event({"jsonrpc": "2.0", "id": "ask-1", **request})
        self.answered.wait(20)
        content = [{"type": "text", "text": json.dumps(self.answer)}]
        result = {"content": content}
        yield event({"jsonrpc": "2.0", "id": message["id"], "result": result}) + END


@pytest.fixture
def cakes(online, host):
    with Server(host, Asking()) as server:
        online.run(f"mcp add cakes {server.url}/mcp")
        yield server
        server.script.answered.set()


def test_a_tool_asks_the_person_in_the_middle_of_its_call(console, cakes):
    console.send("mcp call cakes order")
    assert console.expect("  count> ") == (
        "\n[.. 1 of 4 looking]\n"
        "cakes asks: Your order[2J?\n"
        "  Enter takes what is in [], Ctrl-D declines, Ctrl-C stops\n"
        "  How many (integer)\n"
    )
    console.type("many\r")
    assert "count is a number, not 'many'" in console.expect("  count> ")
    console.type("3\r")
    assert "    plain\n    sweet\n" in console.expect("  kind [sweet]> ")
    console.type("\r")
    answer = {"action": "accept", "content": {"count": 3, "kind": "sweet"}}
    assert json.loads(console.prompt()) == answer == cakes.script.answer


def test_a_question_is_declined_or_stopped(console, cakes):
    console.send("mcp call cakes order")
    console.expect("  count> ")
    console.type("\x04")
    assert "(declined)" in console.prompt() and cakes.script.answer == {"action": "decline"}
    cakes.script.answered.clear()
    console.send("mcp call cakes order")
    console.expect("  count> ")
    console.type("\x03")
    assert console.prompt().endswith("(stopped)\n")
    assert console.run("1 + 1") == "2\n"


def test_a_model_may_use_a_tool_that_asks(console, model, cakes):
    replies = [calls("order", "{}"), says("Ordered.")]
    model.script = lambda request: replies.pop(0)
    console.run("ai -tools")
    console.send("ai order cakes!")
    console.expect("  count> ")
    console.type("2\r")
    console.expect("  kind [sweet]> ")
    console.type("plain\r")
    assert console.prompt().endswith("Ordered.\n")
    said = json.loads(roles(model.requests[1])[-1][1])
    assert said["content"] == {"count": 2, "kind": "plain"}


def test_an_official_server_asks_as_well(online):
    with SdkServer() as server:
        online.run(f"mcp add sdk {server.url}")
        online.send("mcp call sdk ask")
        online.expect("  count> ")
        online.type("7\r")
        online.expect("  name [Jo]> ")
        online.type("Ann\r")
        assert online.prompt().endswith("accept {'count': 7, 'name': 'Ann'}\n")
