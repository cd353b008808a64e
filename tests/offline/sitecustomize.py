"""Found on PYTHONPATH by the processes that tests start: the offline guard holds there too."""

from tests import loopback

loopback.install()
