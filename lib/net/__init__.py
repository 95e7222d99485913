"""HTTP, SSE and JSON as streams, and the radio. Import the module you need: net.http, net.sse."""
