"""config, and joining Wi-Fi, over the serial line."""


def test_a_setting_is_shown_changed_and_deleted(console):
    assert console.run("config my.key2 one") == "my.key2: (not set) -> one\n"
    assert console.run("config my.key2 'two words'") == "my.key2: one -> two words\n"
    assert console.run("config my.key2") == "my.key2 = two words\n"
    assert "  my.key2 = two words\n" in console.run("config")
    assert console.run("config my.") == "  my.key2 = two words\n"
    assert console.run("config -d my.key2") == "my.key2 is deleted\n"
    assert "no setting 'my.key2'" in console.run("config my.key2")


def test_a_setting_survives_a_restart(console):
    console.run("config my.place Rochdale, UK")
    console.restart()
    assert console.run("config my.place") == "my.place = Rochdale, UK\n"


def test_a_secret_is_never_shown(console):
    secret = "sk-very-secret"
    text = console.run("config ai.general.key " + secret)
    assert text == "ai.general.key: (not set) -> (set)\n"
    for line in ("config", "config ai.", "config ai.general.key", "config ai.general.key other"):
        assert secret not in console.run(line) and "(set)" in console.run(line), line


def test_a_line_with_a_secret_does_not_come_back_with_the_up_key(console):
    console.run("6 * 7")
    for line in (
        "config ai.general.key sk-1",
        "mcp add w http://127.0.0.1:9/mcp --token t-1",
        'mcp add w http://127.0.0.1:9/mcp --header "X-Key: h-1"',
        "from store import config; config.set('ai.code.key', 'sk-2')",
    ):
        console.run(line)
    console.type("\x1b[A\r")
    assert console.prompt().endswith("6 * 7\n42\n")


def test_a_wrong_use_of_config_says_what_to_type(console):
    for line, words in (
        ("config -x", "no option -x"),
        ("config -d", "takes one KEY"),
        ("config -d no.such", "no setting 'no.such'"),
        ("config wifi.sid home", "no setting 'wifi.sid'"),
        ("config a..b c", "not a config key"),
    ):
        text = console.run(line)
        assert text.startswith("ai: ") and words in text and "\n  try: " in text, text
        assert text.count("\n") == 2


def test_wifi_is_joined_when_it_is_set_and_after_every_restart(console, virtual):
    assert console.run("config wifi.ssid virtual").endswith("\nWi-Fi: virtual, 127.0.0.1\n")
    console.type("\x04")
    assert "\nWi-Fi: virtual, 127.0.0.1\n" in console.prompt()
    virtual.reset()
    assert "\nWi-Fi: virtual, 127.0.0.1\n" in console.prompt()


def test_a_wifi_that_is_not_there_is_two_lines_and_the_prompt_comes(console, virtual):
    text = console.run("config wifi.ssid elsewhere")
    assert "ai: no Wi-Fi network 'elsewhere' in reach\n  try: config wifi.ssid NAME\n" in text
    text = console.run("config wifi.password short")
    assert "short" not in text and "elsewhere" in text
    console.run("config wifi.ssid virtual")
    text = console.run("config wifi.password short")
    assert "refused the password\n  try: config wifi.password PASSWORD\n" in text


def test_ctrl_c_ends_the_joining_at_the_start(console, virtual):
    code = "import network; network.WLAN.status = lambda self: network.STAT_CONNECTING"
    console.run(code + "; network.WLAN.isconnected = lambda self: False")
    console.send("config wifi.ssid virtual")
    console.expect("Wi-Fi: virtual")
    console.type("\x03")
    assert console.prompt().endswith("(stopped)\n")
    assert console.run("config wifi.ssid") == "wifi.ssid = virtual\n"


def test_a_word_that_is_no_setting_is_told_and_a_beginning_lists_what_follows(console):
    text = console.run("config ai.general.modl x")
    assert "no setting 'ai.general.modl'" in text and " model " in text
    console.run("config ai.general.model m")
    assert console.run("config ai") == "  ai.general.model = m\n"
    assert console.run("config ai.general") == "  ai.general.model = m\n"
    assert "no setting 'foo'" in console.run("config foo")
