"""On a worker that serves several servers, each server has a service of its own, which ends with its last build."""

import subprocess
import sys
from pathlib import Path

from tasks.orchestration import event_services

ROOT = Path(event_services.__file__).resolve().parents[2]

TWO_SERVERS = """
from prefect.events.clients import NullEventsClient
from prefect.events.worker import EventsWorker
from prefect.settings import PREFECT_API_URL, temporary_settings
from tasks.orchestration import event_services, prefect_innards

class QuietClient(NullEventsClient):
    def __init__(self, api_url):
        super().__init__()

prefect_innards.PrefectEventsClient = QuietClient  # else a service without its server ends by itself
ONE, OTHER = "http://127.0.0.1:1/api", "http://127.0.0.1:2/api"

def service(url):
    with temporary_settings({PREFECT_API_URL: url}):
        return EventsWorker.instance()

event_services.begin(ONE)
event_services.begin(ONE)
event_services.begin(OTHER)
one, other = service(ONE), service(OTHER)
assert one is not other
assert one is service(ONE)
assert event_services.end(ONE, 5.0)
assert not one._stopped  # another build still reports to it
assert event_services.end(ONE, 20.0)
assert (one._stopped, other._stopped) == (True, False)
event_services.end(OTHER, 20.0)
assert other._stopped
assert not event_services._USERS
"""


def test_each_server_has_a_service_of_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", TWO_SERVERS], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
