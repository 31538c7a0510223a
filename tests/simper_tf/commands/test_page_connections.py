"""Connections to the page that stay open, send little, or ask for nothing."""

import contextlib
import http.client
import socket
import threading
import time

import pytest

from simper_tf.commands import page_connections, page_readings, page_server


def test_a_host_that_is_none_is_refused_by_its_flag():
    with pytest.raises(ValueError, match=r"--host=999\.1\.1\.1 is no address of this machine\. Name one"):
        page_connections.server(page_server.make(), "999.1.1.1", 0, 1.0)


def begin(server):
    """Serves in a thread of this process and returns its port."""
    threading.Thread(target=server.run, daemon=True).start()
    return server.effective_port


def test_a_browser_that_closes_ends_its_reading(monkeypatch):
    reading, ended = threading.Event(), threading.Event()

    def endless(path, name, wishes, rate, model, check):
        try:
            while True:
                reading.set()
                check(0.0)
                time.sleep(0.01)
        finally:
            ended.set()

    monkeypatch.setattr(page_readings, "_read", endless)
    server = page_connections.server(page_server.make(), "127.0.0.1", 0, 1.0)
    connection = http.client.HTTPConnection("127.0.0.1", begin(server))
    body = b'--x\r\nContent-Disposition: form-data; name="recording"; filename="a.csv"\r\n\r\n1\r\n--x--\r\n'
    connection.request("POST", "/read", body, {"Content-Type": "multipart/form-data; boundary=x"})
    assert reading.wait(20)
    connection.close()
    assert ended.wait(20)
    server.close()


def test_half_sent_requests_keep_nobody_and_end(monkeypatch):
    monkeypatch.setattr(page_connections, "_ARRIVING", 0.2)
    server = page_connections.server(page_server.make(), "127.0.0.1", 0, 1.0)
    port = begin(server)
    halves = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
    for half in halves:
        half.sendall(b"POST /read HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n")
    whole = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    whole.request("GET", "/")
    assert whole.getresponse().status == 200
    for half in halves:
        with contextlib.suppress(OSError):
            for _ in range(100):
                half.sendall(b"x")
                time.sleep(0.01)
        half.settimeout(20)
        assert half.recv(1) == b""
    server.close()


def test_connections_that_ask_for_nothing_make_room(monkeypatch):
    monkeypatch.setattr(page_connections, "_CONNECTIONS", 20)
    monkeypatch.setattr(page_connections, "_GREETING", 0.2)
    server = page_connections.server(page_server.make(), "127.0.0.1", 0, 1.0)
    port = begin(server)
    silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(30)]
    silent[0].sendall(b"GET / HTT")
    whole = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    whole.request("GET", "/")
    assert whole.getresponse().status == 200
    for one in silent:
        one.close()
    server.close()
