"""The radio, where there is one. Off a chip every function says that the network is there.

join("home", "password", 15); status() -> (True, "home", "192.168.1.7")
"""

import time

from net.errors import Error

_HINT = "config wifi.ssid NAME, then config wifi.password PASSWORD"
_POLL_MS = 20
# STAT_NO_AP_FOUND and STAT_WRONG_PASSWORD of the esp32 port (ports/esp32/network_wlan.c).
_NO_AP = 201
_WRONG_PASSWORD = 202


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
    station.connect(ssid, password) if password else station.connect(ssid)
    _wait(station, ssid, timeout)
    return station.ifconfig()[0]


def _wait(station, ssid, timeout):
    end = time.ticks_add(time.ticks_ms(), int(timeout * 1000))
    while not station.isconnected():
        state = station.status()
        if state == _NO_AP:
            raise Error("net", "no Wi-Fi network %r in reach" % ssid, "config wifi.ssid NAME")
        if state == _WRONG_PASSWORD:
            raise Error(
                "net",
                "Wi-Fi network %r refused the password" % ssid,
                "config wifi.password PASSWORD",
            )
        if time.ticks_diff(end, time.ticks_ms()) <= 0:
            raise Error(
                "timeout", "Wi-Fi network %r did not answer" % ssid, "config wifi.ssid NAME"
            )
        time.sleep_ms(_POLL_MS)


def _station():
    try:
        import network
    except ImportError:
        return None
    return network.WLAN(network.STA_IF)
