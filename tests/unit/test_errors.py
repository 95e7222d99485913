"""net.errors"""

from net.errors import Error


def test_an_error_reads_as_its_message():
    error = Error("auth", "Groq: Invalid API key", "config ai.general.key KEY", 401)
    assert str(error) == "Groq: Invalid API key"
    assert (error.kind, error.hint, error.status) == ("auth", "config ai.general.key KEY", 401)


def test_an_error_without_more_has_no_hint_no_status_and_no_wait():
    error = Error("net", "gone")
    assert (error.hint, error.status, error.wait) == ("", 0, None)
