"""The official conformance suite of the Model Context Protocol against the device's client.

python -m tools.conformance            all runs, one after the other
python -m tools.conformance sse-retry  only those of one scenario

The suite is an npm package; Node for it comes from a wheel. Both are pinned, and installed under
build/conformance. Its servers are kept on 127.0.0.1.
"""
