# Stand-in for the network module: a station that finds one access point, "virtual".
#
# What it carries is the host's own network; nothing here moves a byte. The state lies in
# registers, so that like a chip's it outlives a soft reset:
# NET 0 active, 1 connect asked, 2 what came of it (0 or a STAT_), 3..4 when it may be up (ms).

from time import ticks_ms

import _hw
from micropython import const

STA_IF = const(0)
AP_IF = const(1)
STAT_IDLE = const(1000)
STAT_CONNECTING = const(1001)
STAT_GOT_IP = const(1010)
STAT_BEACON_TIMEOUT = const(200)
STAT_NO_AP_FOUND = const(201)
STAT_WRONG_PASSWORD = const(202)
STAT_ASSOC_FAIL = const(203)
STAT_HANDSHAKE_TIMEOUT = const(204)
AUTH_OPEN = const(0)
AUTH_WPA2_PSK = const(3)

_ACTIVE = const(3)
_ASKED = const(4)
_WHY = const(5)
_WHEN = const(6)
_AP_ACTIVE = const(10)

_AIR = b"virtual"
_DELAY = const(50)
_ADDRESS = ("127.0.0.1", "255.0.0.0", "127.0.0.1", "127.0.0.1")
_NOWHERE = ("0.0.0.0", "0.0.0.0", "0.0.0.0", "0.0.0.0")

_regs = _hw.REGS
_names = ["esp32", "XX"]


# Whether the station has its address: socket.py asks, too.
def _up():
    if not (_regs[_ACTIVE] and _regs[_ASKED] and _regs[_hw.AIR]) or _regs[_WHY]:
        return False
    waited = (ticks_ms() - (_regs[_WHEN] | _regs[_WHEN + 1] << 8)) & 0xFFFF
    if _regs[_ASKED] == 1 and waited >= _DELAY:
        _regs[_ASKED] = 2
    return _regs[_ASKED] == 2


def _ssid():
    return bytes(_regs[_hw.SSID + 1 : _hw.SSID + 1 + _regs[_hw.SSID]])


class WLAN:
    IF_STA = const(0)
    IF_AP = const(1)
    PM_NONE = const(0)
    PM_PERFORMANCE = const(1)
    PM_POWERSAVE = const(2)

    def __init__(self, interface=STA_IF):
        self._ap = interface == AP_IF

    def active(self, on=None):
        at = _AP_ACTIVE if self._ap else _ACTIVE
        if on is None:
            return bool(_regs[at])
        _regs[at] = bool(on)
        if not self._ap and not on:
            _regs[_ASKED] = 0
        return bool(on)

    def connect(self, ssid=None, key=None, *, bssid=None):
        if self._ap or not _regs[_ACTIVE]:
            raise OSError("Wifi Not Started")
        name = ssid.encode() if isinstance(ssid, str) else ssid or _ssid()
        _regs[_hw.SSID] = len(name)
        _regs[_hw.SSID + 1 : _hw.SSID + 1 + len(name)] = name
        _regs[_WHY] = 0
        if name != _AIR:
            _regs[_WHY] = STAT_NO_AP_FOUND
        elif key and len(key) < 8:
            _regs[_WHY] = STAT_WRONG_PASSWORD
        now = ticks_ms()
        _regs[_WHEN], _regs[_WHEN + 1] = now & 0xFF, now >> 8 & 0xFF
        _regs[_ASKED] = 1

    def disconnect(self):
        _regs[_ASKED] = 0

    def isconnected(self):
        return not self._ap and _up()

    def status(self, param=None):
        if param == "rssi":
            return -40
        if param is not None:
            raise ValueError("unknown status param")
        if _up():
            return STAT_GOT_IP
        if not _regs[_ASKED]:
            return STAT_IDLE
        if _regs[_WHY]:
            return _regs[_WHY]
        # Lost after it was up, or never heard: the chip tells the two apart as well.
        if not _regs[_hw.AIR]:
            return STAT_BEACON_TIMEOUT if _regs[_ASKED] == 2 else STAT_NO_AP_FOUND
        return STAT_CONNECTING

    def scan(self):
        if not _regs[_ACTIVE]:
            raise OSError("STA must be active")
        if not _regs[_hw.AIR]:
            return []
        return [(_AIR, b"\x02\x00\x00\x00\x00\x01", 6, -40, AUTH_WPA2_PSK, False)]

    def ifconfig(self, config=None):
        return _ADDRESS if self.isconnected() else _NOWHERE

    def ipconfig(self, name=None, **config):
        pair = self.ifconfig()[:2]
        if name == "addr4":
            return pair
        if name == "gw4":
            return self.ifconfig()[2]
        if name == "dhcp4" or name == "has_dhcp4":
            return self.isconnected()
        if name is not None:
            raise ValueError("unknown config param")

    def config(self, name=None, **config):
        if name is None:
            return None
        if name == "mac":
            return bytes(_regs[_hw.MAC : _hw.MAC + 6])
        if name in ("ssid", "essid"):
            return _ssid().decode()
        if name in ("hostname", "dhcp_hostname"):
            return _names[0]
        if name == "channel":
            return 6
        raise ValueError("unknown config param")


def hostname(name=None):
    if name is None:
        return _names[0]
    _names[0] = name


def country(code=None):
    if code is None:
        return _names[1]
    _names[1] = code
