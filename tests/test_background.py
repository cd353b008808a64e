"""A thread for work that nobody waits for: whether it is there can be told."""

from threading import Event

from memory_banks.background import Background


def test_it_is_alive_from_its_first_job_until_it_is_closed() -> None:
    background, done = Background("test"), Event()
    assert not background.alive
    background.later(done.set)
    assert done.wait(5)
    assert background.alive
    assert background.close(5)
    assert not background.alive
