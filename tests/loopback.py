"""The offline guard: a process under test reaches this machine and nothing else."""

import ipaddress
import socket
from collections.abc import Callable
from typing import Any


class LeftTheMachine(AssertionError):
    """Something tried to reach another machine."""


def install() -> None:
    """Make every connection and look-up of this process that leaves the machine raise."""
    for name in ("connect", "connect_ex", "sendto"):
        setattr(socket.socket, name, guarded(getattr(socket.socket, name)))
    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex"):
        setattr(socket, name, guarded_lookup(getattr(socket, name)))


def is_here(host: object) -> bool:
    """Whether `host` is this machine; null and empty names mean it."""
    name = host.decode() if isinstance(host, bytes) else host
    if name in (None, "", "localhost"):
        return True
    try:
        address = ipaddress.ip_address(str(name))
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def guarded(call: Callable[..., Any]) -> Callable[..., Any]:
    """`call` of a socket, refused where its address, the last argument, is elsewhere."""

    def checked(self: socket.socket, *arguments: Any) -> Any:
        address = arguments[-1]
        if self.family in (socket.AF_INET, socket.AF_INET6) and not is_here(address[0]):
            raise LeftTheMachine(f"tests reach this machine only, not {address!r}")
        return call(self, *arguments)

    return checked


def guarded_lookup(lookup: Callable[..., Any]) -> Callable[..., Any]:
    """`lookup` of a name, refused for names of other machines."""

    def checked(host: Any, *arguments: Any, **options: Any) -> Any:
        if not is_here(host):
            raise LeftTheMachine(f"tests look up this machine only, not {host!r}")
        return lookup(host, *arguments, **options)

    return checked
