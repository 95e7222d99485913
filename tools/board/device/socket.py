# The socket module of the host, which knows no name while the station is not connected.
#
# Connections that are open when the radio goes down stay open: they are the host's.

import network
from usocket import *  # noqa: F403
from usocket import getaddrinfo as _getaddrinfo


def getaddrinfo(*args):
    if not network._up():
        raise OSError(-202)
    return _getaddrinfo(*args)
