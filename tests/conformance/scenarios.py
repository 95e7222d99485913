"""Runs in MicroPython: scenarios.py LIB URL does what a scenario of the official MCP conformance
suite wants a client to do. Its name and context are in the environment."""

import json
import os
import sys

DEFAULTS = "test_client_elicitation_defaults"
STATES = (
    "test_mrtr_echo_state",
    "test_mrtr_unrelated",
    "test_mrtr_no_state",
    "test_mrtr_no_result_type",
)


def accept(message, schema):
    """Answers a question with what its schema proposes, and yes to all that is required."""
    return {name: True for name in schema.get("required") or () if "confirm" in name}


def just_list(conn, context):
    conn.tools()


def add(conn, context):
    conn.tools()
    conn.call("add_numbers", {"a": 5, "b": 3})


def elicit_defaults(conn, context):
    conn.call(DEFAULTS)


def reconnect(conn, context):
    conn.tools()
    conn.call("test_reconnection")


def echo_schema(conn, context):
    for name, _, schema in conn.entries():
        if name == "json_schema_2020_12_tool":
            found = schema
    conn.call_text("json_schema_echo", b'{"schema":' + found + b"}")


def call_all(conn, context):
    for tool in conn.tools():
        args = {name: "x" for name in tool["parameters"].get("required") or ()}
        conn.call(tool["name"], args)


def replay(conn, context):
    conn.tools()
    for call in context["toolCalls"]:
        conn.call(call["name"], call["arguments"])


def multi_round(conn, context):
    offered = [tool["name"] for tool in conn.tools()]
    assert [name for name in STATES if name not in offered] == [], offered
    for name in STATES:
        conn.call(name)


SCENARIOS = {
    "initialize": just_list,
    "tools_call": add,
    "elicitation-sep1034-client-defaults": elicit_defaults,
    "sse-retry": reconnect,
    "json-schema-2020-12-preservation": echo_schema,
    "request-metadata": call_all,
    "http-standard-headers": call_all,
    "http-custom-headers": replay,
    "http-invalid-tool-headers": call_all,
    "sep-2322-client-request-state": multi_round,
    "json-schema-ref-no-deref": just_list,
}


def main(lib, url):
    sys.path[:] = ["", ".frozen", lib]
    import mcp

    scenario = SCENARIOS[os.getenv("MCP_CONFORMANCE_SCENARIO")]
    context = json.loads(os.getenv("MCP_CONFORMANCE_CONTEXT") or "{}")
    with mcp.connect(url, timeout=20, on_elicit=accept) as conn:
        print(conn.era, conn.version, conn.server)
        scenario(conn, context)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[-1])
