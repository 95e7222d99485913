"""The official conformance suite of the Model Context Protocol against the device's client.

python -m tools.conformance            all runs, one after the other, then some other servers
python -m tools.conformance sse-retry  only the runs of one scenario

The suite is an npm package; Node for it comes from a wheel. All is pinned, and installed under
build/conformance. The servers are kept on 127.0.0.1.
"""
