"""ai config and ai models over the serial line: chosen, tried, shown, and only then saved."""

import pytest
from console_servers import Server, calls, reply, says

MODELS = ["gemma:2b", "llama3.2:1b", "llama3.2:3b", "qwen3:8b"]


class Provider:
    """A server with a list of models, that says a word and uses a tool."""

    def __init__(self):
        self.models = MODELS
        self.broken = None

    def __call__(self, request):
        if request.path.endswith("/models"):
            return [reply({"object": "list", "data": [{"id": id} for id in self.models]})]
        if self.broken:
            return [reply({"error": {"message": self.broken}}, "401 Unauthorized")]
        if request.json.get("tools"):
            return calls("report", '{"number": 7}')
        return says("Hello")


@pytest.fixture
def provider(online, host):
    with Server(host, Provider()) as server:
        yield server


def answer(console, *pairs):
    """Waits for each question and types what follows it."""
    shown = ""
    for question, typed in pairs:
        shown += console.expect(question + "> ") + question
        console.type(typed + "\r")
    return shown


def choose(console, provider, *more):
    console.send("ai config code")
    return answer(
        console,
        ("provider", "2"),
        ("url [http://127.0.0.1:11434/v1]", provider.url + "/v1"),
        *more,
    )


def test_a_use_type_is_chosen_tried_shown_and_saved(console, provider):
    shown = choose(
        console,
        provider,
        ("a part of a name", "LLAMA"),
        ("a part of a name", "2"),
        ("save? [yes]", ""),
    )
    assert "  1 groq       Groq\n" in shown and "   1 gemma:2b\n" in shown
    assert "asking llama3.2:3b ... Hello (" in shown and "with a tool ... native\n" in shown
    assert "ai.code.model: (not set) -> llama3.2:3b\n" in shown
    assert console.prompt().endswith("  saved\n")
    settings = console.run("config ai.code.")
    assert settings == (
        "  ai.code.model = llama3.2:3b\n"
        "  ai.code.provider = ollama\n"
        "  ai.code.tools_level = native\n"
        f"  ai.code.url = {provider.url}/v1\n"
    )
    assert console.run("ai -u code say something") == "Hello\n"


def test_nothing_is_saved_before_the_last_yes(console, provider):
    before = console.run("config")
    for typed in ("no\r", "\x04"):
        choose(console, provider, ("a part of a name", "qwen"))
        console.expect("save? [yes]> ")
        console.type(typed)
        assert "as it was" in console.prompt()
        assert console.run("config") == before
    choose(console, provider)
    console.expect("a part of a name> ")
    console.type("\x03")
    assert "(stopped)" in console.prompt() and console.run("config") == before


def test_a_key_is_not_shown_and_a_refused_one_is_not_saved_by_itself(console, provider):
    provider.script.broken = "Incorrect API key provided"
    console.run(f"config ai.code.url {provider.url}/v1")
    console.send("ai config code")
    shown = answer(console, ("provider", "openai"), ("key of OpenAI (not shown)", "sk-secret9"))
    # The live list is asked for where the provider is; there is no such host here.
    shown += answer(console, ("a part of a name [gpt-6-luna]", ""))
    shown += answer(console, ("save it all the same? [no]", ""))
    shown += console.prompt()
    assert "sk-secret9" not in shown and "**********" in shown
    assert "ai.code.provider" not in console.run("config")


def test_a_part_that_fits_one_model_is_enough_and_a_foreign_name_is_asked_about(console, provider):
    shown = choose(
        console,
        provider,
        ("a part of a name", "mine"),
        ("take 'mine' as it is? [no]", ""),
        ("a part of a name", "gem"),
        ("save? [yes]", ""),
    )
    assert "no model with 'mine' is listed" in shown
    assert "saved" in console.prompt() and "gemma:2b" in console.run("config ai.code.model")


def test_all_use_types_are_offered_and_general_is_enough(console, provider):
    console.send("ai config")
    answer(
        console,
        ("provider", "ollama"),
        ("11434/v1]", provider.url + "/v1"),
        ("a part of a name", "qwen"),
        ("save? [yes]", ""),
        ("'chat' than for general? [no]", ""),
        ("'code' than for general? [no]", ""),
        ("'help' than for general? [no]", ""),
    )
    console.prompt()
    assert console.run("ai hello?") == "Hello\n"


def test_models_are_listed_by_provider_and_part(console, provider):
    console.run("config ai.general.provider ollama")
    console.run(f"config ai.general.url {provider.url}/v1")
    assert console.run("ai models") == "".join(f"  {id}\n" for id in MODELS)
    assert console.run("ai models ollama LLAMA") == "  llama3.2:1b\n  llama3.2:3b\n"
    assert "no model has 'zzz' in its name" in console.run("ai models zzz")
    provider.script.models = [f"model-{i:03}" for i in range(600)]
    assert console.run("ai models 599") == "  model-599\n"


def test_another_provider_does_not_get_the_key_of_the_one_before(console):
    console.run("config ai.general.provider groq")
    console.run("config ai.general.key gsk-1")
    console.run("config ai.general.model m")
    shown = console.run("config ai.general.provider openai")
    assert "ai.general.key is forgotten: it was for groq\n" in shown
    assert console.run("config ai.") == "  ai.general.provider = openai\n"
