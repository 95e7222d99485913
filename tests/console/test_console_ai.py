"""ai and ? over the serial line, with a scripted model."""

import threading

import pytest
from console_servers import END, STREAM, Server, chunk, event, reply, roles, says, use
from serial_console import complaint


def test_a_reply_is_shown_as_it_comes(console, model):
    seen = threading.Event()

    def script(request):
        for number, piece in enumerate(says("The first half", " and the rest.")):
            if number == 2:
                assert seen.wait(10)
            yield piece

    model.script = script
    console.send("ai how do you answer?")
    console.expect("The first half")
    seen.set()
    assert console.prompt() == " and the rest.\n"


def test_a_second_question_sends_the_first_turn_too(console, model):
    console.run("ai first?")
    console.run("ai and second?")
    assert roles(model.requests[1]) == [
        ("user", "first?"),
        ("assistant", "Yes."),
        ("user", "and second?"),
    ]
    console.restart()
    console.run("ai third?")
    assert len(roles(model.requests[2])) == 5


def test_ai_clear_forgets_the_conversation(console, model):
    console.run("ai first?")
    assert console.run("ai clear") == "the conversation is forgotten\n"
    console.run("ai second?")
    assert roles(model.requests[1]) == [("user", "second?")]


def test_a_use_type_has_a_model_and_a_conversation_of_its_own(console, model, host):
    with Server(host, lambda request: says("code!")) as other:
        use(console, other, "code")
        assert console.run("ai -u code write it") == "code!\n"
        assert console.run("ai what?") == "Yes.\n"
        assert console.run("ai -u code again") == "code!\n"
        assert len(roles(other.requests[1])) == 3 and len(roles(model.requests[0])) == 1
        console.run("ai -u code clear")
        console.run("ai -u code anew")
        assert len(roles(other.requests[2])) == 1


def test_ai_alone_says_who_answers_and_how_to_ask(console, model):
    text = console.run("ai")
    assert "ollama/scripted" in text and "ai [-u TYPE] QUESTION" in text


def hold(model, *pieces):
    """Let the model say this and then nothing more until the test is over."""
    over = threading.Event()

    def script(request):
        yield STREAM
        for piece in pieces:
            yield event({"choices": [{"index": 0, "delta": {"content": piece}}]})
        over.wait(30)

    model.script = script
    return over


def test_ctrl_c_stops_the_reply_keeps_what_came_and_stays(console, model):
    over = hold(model, "Once upon ", "a time")
    console.send("ai tell me a story")
    console.expect("a time")
    console.type("\x03")
    assert console.prompt() == "\n(stopped)\n"
    over.set()
    model.script = lambda request: says("The end.")
    assert console.run("ai go on") == "The end.\n"
    sent = roles(model.requests[1])
    assert sent[1][0] == "assistant" and sent[1][1].startswith("Once upon a time")
    assert sent[-1] == ("user", "go on")


def test_a_tool_gets_the_raw_repl_during_a_reply(console, model):
    over = hold(model, "Once upon ", "a time")
    console.send("ai tell me a story")
    console.expect("a time")
    console.type("\r\x03")
    console.type("\r\x01")
    console.expect("raw REPL; CTRL-B to exit\r\n>")
    over.set()


def test_enter_pressed_during_a_reply_does_not_make_ctrl_c_leave(console, model):
    over = hold(model, "Once upon ", "a time")
    console.send("ai tell me a story")
    console.expect("a time")
    console.type("\r")
    console.type("\x03")
    assert console.prompt().endswith("(stopped)\n")
    over.set()
    assert console.run("6 * 7") == "42\n"


def test_a_question_mark_asks_the_helper_who_knows_the_commands(console, model):
    model.script = lambda request: says("Type: mcp add NAME URL")
    assert console.run("? how do I add a server") == "Type: mcp add NAME URL\n"
    assert console.run("?how again") == "Type: mcp add NAME URL\n"
    sent = model.requests[1].json["messages"]
    assert sent[0]["role"] == "system" and "mcp add NAME URL" in sent[0]["content"]
    assert roles(model.requests[1]) == [("user", "how again")]
    assert console.run("?").startswith("ai: ? needs a QUESTION\n  try: ? QUESTION")


def answers(*pieces):
    return lambda request: pieces


@pytest.mark.parametrize(
    "script, words",
    [
        (answers(reply({"error": {"message": "Wrong key"}}, "401 Unauthorized")), "Wrong key"),
        (answers(reply({"error": {"message": "No such model"}}, "404 Not Found")), "No such"),
        (answers(reply(b"<html>nothing</html>", "404 Not Found", "text/html")), "404"),
        (answers(reply(b"<html>no JSON</html>", kind="text/html")), ""),
        (answers(STREAM, chunk(b"data: no JSON\n\n"), END), ""),
        (answers(b"not even HTTP\r\n\r\n"), ""),
        (answers(b""), ""),
    ],
    ids=["401", "404", "404 of no JSON", "no JSON", "events of no JSON", "no HTTP", "hangs up"],
)
def test_a_bad_answer_is_one_line_and_a_try_line_and_the_console_goes_on(
    console, model, script, words
):
    model.script = script
    assert words in complaint(console.run("ai hello?", seconds=30))
    assert console.run("6 * 7") == "42\n"
    model.script = lambda request: says("Fine.")
    assert console.run("ai hello?") == "Fine.\n"


def test_a_server_that_dies_in_mid_reply_loses_nothing(console, model):
    half = {"choices": [{"index": 0, "delta": {"content": "Half a"}}]}
    model.script = answers(STREAM, event(half))
    first, _, rest = console.run("ai hello?", seconds=30).partition("\n")
    assert first == "Half a"
    complaint(rest)
    model.script = lambda request: says("Fine.")
    assert console.run("ai go on") == "Fine.\n"
    sent = roles(model.requests[-1])
    assert sent[0] == ("user", "hello?") and sent[1][1].startswith("Half a")


def test_an_unknown_provider_in_the_config_says_which_there_are(console, model):
    console.run("from store import config; config.set('ai.general.provider', 'frobnicate')")
    text = complaint(console.run("ai hello?"))
    assert "frobnicate" in text
    complaint("\n".join(console.run("ai").splitlines()[-2:]))
    complaint(console.run("? hello"))


def test_a_full_heap_is_one_line_and_the_heap_comes_back(console, model):
    console.run("import gc; gc.collect()")
    console.run("x = [bytearray(500) for _ in range((gc.mem_free() - 28000) // 544)]")
    for _ in range(3):
        assert "out of memory" in complaint(console.run("ai hello?"))
        assert console.run("6 * 7") == "42\n"
    console.run("del x; gc.collect()")
    assert console.run("ai hello?") == "Yes.\n"


def test_what_a_command_loads_goes_with_it_and_what_a_program_loaded_stays(console, model):
    console.run("import gc, sys")
    console.run("ai warm up?")
    free = "gc.collect(); gc.mem_free()"
    before = int(console.run(free).split()[-1])
    for _ in range(3):
        console.run("ai hello?")
    assert before - int(console.run(free).split()[-1]) < 1000
    console.run("import ai.tools")
    console.run("ai.tools.add('here', 'Is here.', {}, print)")
    console.run("ai hello?")
    assert model.requests[-1].json["tools"][0]["function"]["name"] == "here"
    assert "here" in console.run("ai tools list")
