"""The serial line: pty, socket:// and rfc2217://, and the reset circuit behind DTR and RTS."""

import os
import termios

from board_samples import PROMPT


def url(kind: str, port: int) -> str:
    return f"{kind}://localhost:{port}"


def test_console_answers_on_pty_socket_and_rfc2217(flash, boards, consoles):
    board = boards(flash, tcp=0, rfc2217=0)
    for where in (board.pty, url("socket", board.tcp_port), url("rfc2217", board.rfc2217_port)):
        console = consoles(where)
        console.prompt()
        assert console.run("6*7") == "42\r\n"


def test_output_goes_to_all_clients_and_input_comes_from_any(flash, boards, consoles):
    board = boards(flash, tcp=0, rfc2217=0)
    first, second = consoles(board.pty), consoles(url("socket", board.tcp_port))
    third = consoles(url("rfc2217", board.rfc2217_port))
    third.prompt()
    for typist in (first, second, third):
        typist.type("print('to' + 'all')\r")
        for console in (first, second, third):
            console.expect(b"\r\ntoall\r\n" + PROMPT)


def test_all_byte_values_pass_both_ways(flash, boards, consoles):
    board = boards(flash, tcp=0, rfc2217=0)
    everything = bytes(range(256))
    for where in (board.pty, url("socket", board.tcp_port), url("rfc2217", board.rfc2217_port)):
        console = consoles(where)
        console.prompt()
        console.run("import micropython, sys")
        console.type(
            "micropython.kbd_intr(-1); print('re' + 'ady'); b = sys.stdin.buffer.read(256); "
            "micropython.kbd_intr(3); n = sys.stdout.buffer.write(b)\r"
        )
        console.expect(b"ready\r\n")
        console.type(everything)
        assert console.expect(PROMPT) == everything + PROMPT


def test_client_may_come_and_go(board, consoles):
    for _ in range(3):
        console = consoles(board.pty)
        console.prompt()
        console.close()


def test_pty_is_raw_before_any_client_sets_it(board):
    fd = os.open(board.pty, os.O_RDWR | os.O_NOCTTY)
    try:
        _, output, _, local, *_ = termios.tcgetattr(fd)
    finally:
        os.close(fd)
    assert not output & termios.OPOST
    assert not local & (termios.ECHO | termios.ICANON | termios.ISIG)


def test_board_does_not_wait_for_a_console_nobody_reads(flash, boards, consoles):
    board = boards(flash, tcp=0)
    console = consoles(url("socket", board.tcp_port))
    console.prompt()
    console.run("line = 'x' * 99")
    console.type("for i in range(3000): print(line)\r\rprint('do' + 'ne')\r")
    console.expect(b"done\r\n" + PROMPT, 10)
    late = consoles(board.pty)
    late.prompt()


def test_long_output_reaches_a_client_whole(console):
    console.type("for i in range(4000): print(i, 'x' * 50)\r\r")
    console.expect(b"... \r\n")
    text = console.expect(PROMPT, 10).split(b"\r\n")[-4001:-1]
    assert text == [b"%d %s" % (i, b"x" * 50) for i in range(4000)]


def test_rts_alone_resets_and_both_together_do_not(flash, boards, consoles):
    board = boards(flash, rfc2217=0)
    console = consoles(url("rfc2217", board.rfc2217_port))  # opens with both asserted
    console.prompt()
    console.run("alive = 1")
    console.port.rts = False
    console.port.dtr = False
    assert console.run("alive") == "1\r\n"
    console.port.rts = True
    console.port.rts = False
    console.expect(b"rst:0x1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\r\n")
    console.expect(PROMPT)
    assert "NameError" in console.run("alive")


def test_chip_stays_in_reset_while_rts_is_held(flash, boards, consoles):
    board = boards(flash, rfc2217=0)
    console = consoles(url("rfc2217", board.rfc2217_port))
    console.port.dtr = False
    assert board.pid is None
    console.port.rts = False
    console.expect(PROMPT)
    assert board.pid


def classic_reset(port):
    """What esptool does to come into download mode."""
    port.dtr = False
    port.rts = True
    port.dtr = True
    port.rts = False
    port.dtr = False


def test_dtr_at_the_release_of_rts_enters_download_mode(flash, boards, consoles):
    board = boards(flash, rfc2217=0)
    console = consoles(url("rfc2217", board.rfc2217_port))
    classic_reset(console.port)
    console.expect(
        b"rst:0x1 (POWERON_RESET),boot:0x3 (DOWNLOAD_BOOT(UART0/UART1/SDIO_REI_REO_V2))\r\n"
        b"waiting for download\r\n"
    )
    assert board.on and board.pid is None
    console.port.rts = True
    console.port.rts = False
    console.expect(PROMPT)


def test_download_hook_talks_to_the_host_in_download_mode(flash, boards, consoles):
    class Echo:
        def __init__(self, core):
            assert core.flash == flash

        def feed(self, data):
            return b"<" + data + b">"

    board = boards(flash, rfc2217=0, download=Echo)
    console = consoles(url("rfc2217", board.rfc2217_port))
    console.prompt()
    classic_reset(console.port)
    console.expect(b"waiting for download\r\n")
    console.type(b"\xc0sync")
    console.expect(b"<\xc0sync>")


def test_client_that_goes_away_holding_the_reset_line_lets_go(flash, boards, consoles):
    board = boards(flash, rfc2217=0)
    console = consoles(url("rfc2217", board.rfc2217_port))
    console.port.dtr = False
    assert board.pid is None
    console.close()
    board.wait()
    assert board.pid
