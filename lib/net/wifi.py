"""The radio, where there is one. Off a chip every function says that the network is there.

join("home", "password", 15); status() -> (True, "home", "192.168.1.7")
"""

import time

from micropython import const

from net.errors import Error

_HINT = "config wifi.ssid NAME, then config wifi.password PASSWORD"
_POLL_MS = const(20)
# The radio tries for ever unless told, and calls that connecting: it never says why it fails.
# With a limit status() is the reason of the last attempt (ports/esp32/network_wlan.c).
_RETRIES = const(2)
_FOR_EVER = const(-1)
_CONNECTING = (0, 1000, 1001)  # also STAT_IDLE
# Reasons of the driver (wifi_err_reason_t in esp_wifi_types.h).
_WORDS = (
    ((201, 212), "no Wi-Fi network %r in reach", "config wifi.ssid NAME"),
    ((210, 211), "Wi-Fi network %r wants another kind of security", "config wifi.ssid NAME"),
    ((2, 15, 202, 204), "Wi-Fi network %r refused the password", "config wifi.password PASSWORD"),
)


def check():
    """Error "net" if there is a radio and it is not connected.

    Asked before a name is resolved: getaddrinfo can block for ever when the station is not
    connected (https://github.com/micropython/micropython-lib/issues/1078).
    """
    station = _station()
    if station and not station.isconnected():
        raise Error("net", "Wi-Fi is not connected", _HINT)


def status():
    """(connected, name of the network or "", address or "")."""
    station = _station()
    if not station:
        return True, "", ""
    if not station.isconnected():
        return False, "", ""
    return True, station.config("ssid"), station.ifconfig()[0]


def join(ssid, password=None, timeout=15):
    """Connect to a network; returns the address. Error "net" in words if it does not work.

    timeout   seconds; Ctrl-C ends it as well
    """
    station = _station()
    if not station:
        return ""
    if station.isconnected() and station.config("ssid") == ssid:
        return station.ifconfig()[0]
    station.active(True)
    if station.isconnected():
        station.disconnect()
    station.config(reconnects=_RETRIES)
    station.connect(ssid, password) if password else station.connect(ssid)
    try:
        _wait(station, ssid, timeout)
    except BaseException:
        station.disconnect()  # else it goes on searching behind the prompt
        raise
    station.config(reconnects=_FOR_EVER)
    return station.ifconfig()[0]


def _wait(station, ssid, timeout):
    end = time.ticks_add(time.ticks_ms(), int(timeout * 1000))
    while not station.isconnected():
        state = station.status()
        if state not in _CONNECTING and not station.isconnected():
            raise _refused(state, ssid)
        if time.ticks_diff(end, time.ticks_ms()) <= 0:
            raise Error(
                "timeout", "Wi-Fi network %r did not answer" % ssid, "config wifi.ssid NAME"
            )
        time.sleep_ms(_POLL_MS)


def _refused(state, ssid):
    for states, words, hint in _WORDS:
        if state in states:
            return Error("net", words % ssid, hint)
    return Error("net", "Wi-Fi network %r: reason %d" % (ssid, state), "the same again")


def _station():
    try:
        import network
    except ImportError:
        return None
    return network.WLAN(network.STA_IF)
