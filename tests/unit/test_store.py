"""store: config, secrets, logs"""

import os

from net.errors import Error
from store import config, log, paths, secrets, table


def fresh():
    paths.DATA = "data"
    for name in ("config", "secrets", "some/log", "config.new"):
        paths.remove("data/" + name)


def raw(name):
    with open("data/" + name) as file:
        return file.read()


def test_a_key_keeps_any_value():
    fresh()
    for value in ("plain", "", "two\nlines", "\\n is not a newline", "a=b", "\r\\\n\\\\", "ä😀"):
        config.set("a.b", value)
        assert config.get("a.b") == value, value


def test_a_key_that_is_not_set_gives_the_default():
    fresh()
    assert config.get("a") is None
    assert config.get("a", "x") == "x"
    config.set("ab", "1")
    assert config.get("a") is None


def test_the_file_is_sorted_and_has_each_key_once():
    fresh()
    for key, value in (("m", 1), ("z", 2), ("a", 3), ("m", 4)):
        config.set(key, value)
    assert raw("config") == "a=3\nm=4\nz=2\n"


def test_delete_says_whether_the_key_was_there():
    fresh()
    config.set("a", "1")
    assert config.delete("a") is True
    assert config.delete("a") is False
    assert raw("config") == ""


def test_a_line_that_is_no_key_is_kept():
    fresh()
    with open(paths.path("config"), "w") as file:
        file.write("# mine\nb=1")
    config.set("c", "2")
    assert raw("config") == "# mine\nb=1\nc=2\n"


def test_secrets_are_in_a_file_of_their_own_and_never_listed():
    fresh()
    config.set("ai.general.key", "sk-1")
    config.set("ai.general.model", "m")
    config.set("mcp.x.header.X-Api", "h")
    assert "sk-1" not in raw("config")
    assert secrets.get("ai.general.key") == config.get("ai.general.key") == "sk-1"
    assert list(config.items()) == [
        ("ai.general.key", None),
        ("ai.general.model", "m"),
        ("mcp.x.header.X-Api", None),
    ]
    assert list(config.items("ai.")) == [("ai.general.key", None), ("ai.general.model", "m")]
    assert config.delete("ai.general.key") and config.get("ai.general.key") is None


def test_what_is_not_a_key_is_refused():
    for key in ("", "a b", "a=b", ".a", "a.", "a..b", "a\nb", "ä"):
        try:
            config.set(key, "1")
        except Error as error:
            assert error.kind == "config", key
        else:
            raise AssertionError(key)


def test_a_write_that_fails_leaves_the_old_file():
    fresh()
    config.set("a", "1")

    def lines():
        yield "b=2\n"
        raise OSError(28)

    try:
        paths.replace("config", lines())
    except OSError:
        pass
    assert raw("config") == "a=1\n"
    assert "config.new" not in os.listdir("data")


def test_half_a_new_file_is_never_read():
    fresh()
    config.set("a", "1")
    with open("data/config.new", "w") as file:
        file.write("a=2\nb")
    assert config.get("a") == "1"
    config.set("b", "2")
    assert raw("config") == "a=1\nb=2\n"


def test_records_come_back_in_order():
    fresh()
    log.append("some/log", ["user", "ä\n"])
    log.append("some/log", ["text", "b"], ["stop", "end"])
    assert list(log.records("some/log")) == [["user", "ä\n"], ["text", "b"], ["stop", "end"]]
    assert log.clear("some/log") is True
    assert log.clear("some/log") is False
    assert list(log.records("some/log")) == []


def test_a_log_cut_at_any_byte_keeps_the_whole_records_and_takes_more():
    fresh()
    log.append("some/log", ["user", "one ä"], ["text", "two"])
    with open("data/some/log", "rb") as file:
        whole = file.read()
    first = whole.index(b"\n")
    for cut in range(len(whole) + 1):
        with open("data/some/log", "wb") as file:
            file.write(whole[:cut])
        log.append("some/log", ["stop", "end"])
        kept = [["user", "one ä"]] * (cut >= first) + [["text", "two"]] * (cut >= len(whole) - 1)
        assert list(log.records("some/log")) == kept + [["stop", "end"]], cut


def test_a_line_too_long_to_be_ours_is_passed_over():
    fresh()
    log.append("some/log", ["a"])
    with open("data/some/log", "ab") as file:
        for _ in range(30):
            file.write(b'["x' * 1000)
        file.write(b"\n")
    log.append("some/log", ["b"])
    assert list(log.records("some/log")) == [["a"], ["b"]]


def test_keys_of_a_table_are_read_without_values():
    fresh()
    config.set("b", "1")
    assert list(table.keys("config")) == ["b"]
