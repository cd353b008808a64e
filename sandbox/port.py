"""The address the page is served on, taken before anything slow is loaded."""

import errno
import http.client
import ipaddress
import json
import socket

APP = "strategic-memory-sandbox"
"""What `/health` answers as `app`, so that one sandbox knows another."""


class PortError(Exception):
    """The page cannot be served there; the message is one sentence with the way out."""


def reserve(host: str, port: int) -> socket.socket:
    """A listening socket; 0 as port takes any free one. Who connects waits until it is served.

    Raises:
        PortError: if the host is not loopback, or the port cannot be had.
    """
    address = loopback_address(host)
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((str(address), port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise PortError(_refused(str(address), port, error)) from error
    return listener


def loopback_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """The loopback address that `host` names.

    Raises:
        PortError: if it names another: there are no logins, so nobody else may reach the page.
    """
    name = "127.0.0.1" if host.lower() == "localhost" else host.strip("[]")
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise PortError(
            f"The page cannot be served on {host!r}: there are no logins yet, so only this "
            "machine may reach it; leave out --host, and use an SSH tunnel from elsewhere."
        )
    return address


def url_of(listener: socket.socket) -> str:
    """The page's address, as a person types it."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _refused(host: str, port: int, error: OSError) -> str:
    """Why the port cannot be had, and what to do."""
    if error.errno != errno.EADDRINUSE:
        reason = (error.strerror or str(error)).lower()
        return f"Port {port} on {host} cannot be used ({reason}): choose another with --port."
    if _is_a_sandbox(host, port):
        return (
            f"Port {port} is in use by another sandbox: open it in the browser, stop it, "
            "or choose another port with --port (and another folder with --data-dir)."
        )
    return f"Port {port} is in use by another program: stop it, or choose another with --port."


def _is_a_sandbox(host: str, port: int) -> bool:
    """Whether a sandbox answers there within a second."""
    connection = http.client.HTTPConnection(host, port, timeout=1)
    try:
        connection.request("GET", "/health")
        health = json.loads(connection.getresponse().read(1000))
    except (OSError, http.client.HTTPException, ValueError):
        return False
    finally:
        connection.close()
    return isinstance(health, dict) and health.get("app") == APP
