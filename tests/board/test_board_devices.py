"""What a chip has and the host does not: the stand-ins, and that the host stays out of sight."""

import pytest

from tools import image


@pytest.mark.parametrize(
    "attempt",
    [
        "open('/etc/passwd')",
        "open('/proc/self/environ')",
        "import os; os.listdir('/etc')",
        "import os; os.chdir('/tmp')",
        "import os; os.stat('/usr')",
        "import os; os.system('true')",
        "import os; os.getenv('PATH')",
        "import uos; uos.system('true')",
        "import vfs; vfs.VfsPosix('/')",
        "import os; os.VfsPosix('/')",
    ],
)
def test_host_is_out_of_sight(console, attempt):
    assert "Error" in console.run(attempt)


def test_root_holds_the_flash_and_nothing_else(console):
    assert console.run("import os; os.listdir('/'), os.getcwd()") == "(['boot.py'], '/')\r\n"


def test_wifi_finds_one_access_point_and_gets_an_address(console):
    console.run("import network, time; w = network.WLAN(network.STA_IF)")
    assert console.run("w.active(), w.isconnected(), w.active(True)") == "(False, False, True)\r\n"
    assert console.run("[n[0] for n in w.scan()]") == "[b'virtual']\r\n"
    console.run("w.connect('virtual', 'secret-enough')")
    assert console.run("w.status() == network.STAT_CONNECTING") == "True\r\n"
    console.type("while not w.isconnected(): time.sleep_ms(5)\r\r")
    console.expect(b"... \r\n")
    assert console.run("w.status() == network.STAT_GOT_IP").endswith("True\r\n")
    assert console.run("w.config('ssid'), w.ifconfig()[0]") == "('virtual', '127.0.0.1')\r\n"
    assert console.run("len(w.config('mac'))") == "6\r\n"


@pytest.mark.parametrize(
    "join, status",
    [
        ("'elsewhere', 'secret-enough'", "STAT_NO_AP_FOUND"),
        ("'virtual', 'short'", "STAT_WRONG_PASSWORD"),
    ],
)
def test_wifi_says_why_it_does_not_connect(console, join, status):
    console.run("import network, time; w = network.WLAN(); w.active(True)")
    console.run(f"w.connect({join}); time.sleep_ms(80)")
    assert console.run(f"w.status() == network.{status}, w.isconnected()") == "(True, False)\r\n"


def connect(console):
    """Bring the station up."""
    console.run("import network, time, socket; w = network.WLAN(); n = w.active(True)")
    console.run("w.connect('virtual'); time.sleep_ms(80)")
    assert console.run("w.isconnected()") == "True\r\n"


def test_radio_can_be_taken_down_and_brought_back_from_outside(board, console):
    connect(console)
    board.wifi(False)
    assert console.run("w.isconnected(), w.scan()") == "(False, [])\r\n"
    assert console.run("w.status() == network.STAT_BEACON_TIMEOUT") == "True\r\n"
    assert "OSError: -202" in console.run("socket.getaddrinfo('127.0.0.1', 80)")
    board.wifi(True)
    assert console.run("w.isconnected()") == "True\r\n"
    assert "OSError" not in console.run("socket.getaddrinfo('127.0.0.1', 80)")


def test_board_without_an_access_point_boots_and_finds_none(flash, boards, consoles):
    console = consoles(boards(flash, air=False).pty)
    console.prompt()
    console.run("import network, time; w = network.WLAN(); n = w.active(True)")
    console.run("w.connect('virtual'); time.sleep_ms(80)")
    assert console.run("w.status() == network.STAT_NO_AP_FOUND") == "True\r\n"


def test_no_name_is_resolved_before_the_station_is_connected(console):
    assert "OSError: -202" in console.run("import socket; socket.getaddrinfo('127.0.0.1', 80)")
    connect(console)
    assert "OSError" not in console.run("socket.getaddrinfo('127.0.0.1', 80)")


def test_station_stays_connected_over_a_soft_reset_and_not_over_a_hard_one(board, console):
    connect(console)
    console.type(b"\x04")
    console.prompt()
    assert console.run("import network; network.WLAN().isconnected()") == "True\r\n"
    board.reset()
    console.prompt()
    assert console.run("import network; network.WLAN().isconnected()") == "False\r\n"


def test_nvs_survives_a_power_cut(board, console):
    console.run("import esp32; v = esp32.NVS('app'); v.set_i32('count', -7)")
    console.run("v.set_blob('key', b'\\x00secret'); v.commit()")
    board.power_cut()
    board.start()
    console.prompt()
    console.run("import esp32; v = esp32.NVS('app'); b = bytearray(20)")
    assert console.run("v.get_i32('count'), v.get_blob('key', b), bytes(b[:7])") == (
        "(-7, 7, b'\\x00secret')\r\n"
    )


def test_nvs_keeps_namespaces_and_types_apart_and_erases(console):
    console.run("import esp32; a = esp32.NVS('a'); b = esp32.NVS('b')")
    console.run("a.set_i32('k', 1)")
    assert "ESP_ERR_NVS_NOT_FOUND" in console.run("b.get_i32('k')")
    assert "ESP_ERR_NVS_NOT_FOUND" in console.run("a.get_blob('k', bytearray(4))")
    console.run("a.erase_key('k')")
    assert "ESP_ERR_NVS_NOT_FOUND" in console.run("a.get_i32('k')")
    assert "ESP_ERR_NVS_NOT_FOUND" in console.run("a.erase_key('k')")
    assert "ESP_ERR_NVS_KEY_TOO_LONG" in console.run("a.set_i32('k' * 16, 1)")


def test_two_nvs_objects_see_each_others_writes(console):
    console.run("import esp32; a = esp32.NVS('a'); b = esp32.NVS('b'); c = esp32.NVS('a')")
    console.run("a.set_i32('k', 1); b.set_i32('k', 2); c.set_i32('j', 3)")
    assert console.run("c.get_i32('k'), b.get_i32('k'), a.get_i32('j')") == "(1, 2, 3)\r\n"


def test_nvs_is_compacted_when_it_is_full(board, console):
    console.run("import esp32; v = esp32.NVS('app'); v.set_i32('first', 1)")
    console.type("for i in range(40): v.set_blob('log', bytes([i]) * 900)\r\r")
    console.expect(b"... \r\n")
    console.prompt()
    board.power_cut()
    board.start()
    console.prompt()
    console.run("import esp32; v = esp32.NVS('app'); b = bytearray(900)")
    assert console.run("v.get_i32('first'), v.get_blob('log', b), b[0], b[899]") == (
        "(1, 900, 39, 39)\r\n"
    )


def test_partitions_are_those_of_the_table(console):
    console.run("import esp32; P = esp32.Partition")
    assert console.run("P.find(P.TYPE_DATA, label='vfs')[0].info()") == (
        "(1, 129, 2097152, 2097152, 'vfs', False)\r\n"
    )
    assert console.run("P(P.RUNNING).info()[4], len(P.find(P.TYPE_DATA))") == "('factory', 3)\r\n"
    assert "OSError" in console.run("P('none')")


def test_pins_keep_their_values(console):
    console.run("from machine import Pin; a = Pin(2, Pin.OUT); a.on(); b = Pin(2)")
    assert console.run("b(), a.value(0), b.value()") == "(1, None, 0)\r\n"
    assert "ValueError" in console.run("Pin(99)")


def test_uname_says_that_this_is_no_chip(console):
    text = console.run("import os; os.uname()")
    assert "sysname='esp32'" in text and "no chip" in text


def test_beside_all_a_turn_may_load_the_heap_leaves_less_than_a_chip_with_frozen_lib(
    tmp_path, boards, consoles
):
    files = image.project_files()
    names = [name[5:-4].replace("/", ".") for name in files if name.endswith(".mpy")]
    # A turn is in one style, and of one command.
    names = [n for n in names if not n.startswith("ai.styles.") or n[10:] in ("common", "openai")]
    names = [n for n in names if not n.startswith("console.cmd_") or n == "console.cmd_ai"]
    flash = image.build(
        tmp_path / "lib.bin", files={n: files[n] for n in files if n[:4] == "/lib"}
    )
    console = consoles(boards(flash).pty)
    console.prompt()
    for name in names:
        module = name.removesuffix(".__init__")
        shown = console.run(f"import gc; _ = gc.collect(); import {module}")
        assert not shown, shown
    assert len(names) > 40
    free = int(console.run("_ = gc.collect(); gc.mem_free()").split()[-1])
    # 110 KB inside a TLS session, less the RAM of frozen modules.
    assert 20_000 < free < 85_000


def test_heap_can_be_chosen(flash, boards, consoles):
    console = consoles(boards(flash, heap=400_000).pty)
    console.prompt()
    free = int(console.run("import gc; gc.collect(); gc.mem_free()").split()[-1])
    assert 350_000 < free < 400_000
