"""What Prefect's server does by itself when it hears of a dataset: it checks what was published, and tells a person
where a build was refused or a source has shrunk.
"""

from datetime import timedelta
from typing import Any

from prefect.blocks.notifications import CustomWebhookNotificationBlock
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.events.actions import RunDeployment, SendNotification
from prefect.events.schemas.automations import AutomationCore, EventTrigger

from tasks.engine.events import PUBLISHED, REFUSED, SHRUNK

DOWNSTREAM = "verify_release/verify"
"""The deployment that starts when a dataset is published."""
_BLOCK = "bilderatlas-notify"
_TOLD = {
    REFUSED: ("bilderatlas.dataset.*", "{{ event.payload.name }}: nothing is published", "{{ event.payload.reason }}"),
    SHRUNK: (
        "bilderatlas.source.*",
        "{{ event.payload.name }}: {{ event.payload.source }} has shrunk",
        "It lists {{ event.payload.now }} works; at the last release it listed {{ event.payload.before }}.",
    ),
}
"""Of each event that a person is told of: the resource, the subject and the text."""


def create_automations(notify_url: str | None) -> None:
    """Write the automations to the server of PREFECT_API_URL, in place of those of the same names; one that somebody
    has switched off stays so.

    notify_url: where a JSON object with a `text` is posted, as Slack, Mattermost and others take it. Without it,
    nobody is told of anything any more.
    """
    with get_client(sync_client=True) as client:
        deployment = client.read_deployment_by_name(DOWNSTREAM)
        release = {"__prefect_kind": "jinja", "template": "{{ event.payload.release }}"}
        verify = RunDeployment(source="selected", deployment_id=deployment.id, parameters={"release": release})
        about = "Starts verify_release on each release, also on one that was there already."
        _write(client, "bilderatlas: check what is published", about, (PUBLISHED, "bilderatlas.dataset.*"), verify)
        if notify_url is None:
            for event in _TOLD:
                _delete(client, _told(event))
            return
        block = _notification_block(notify_url)
        for event, (resource, subject, body) in _TOLD.items():
            tell = SendNotification(block_document_id=block, subject=subject, body=body)
            _write(client, _told(event), f"Posts to {_BLOCK}.", (event, resource), tell)


def _notification_block(notify_url: str) -> Any:
    """The id of the block that posts. The address is one of its secrets, since whoever knows it can post, too."""
    block = CustomWebhookNotificationBlock(
        name="bilderatlas",
        url="{{url}}",
        json_data={"text": "{{subject}}\n{{body}}"},
        secrets={"url": notify_url},
    )
    return block.save(_BLOCK, overwrite=True)


def _write(client: SyncPrefectClient, name: str, about: str, what: tuple[str, str], action: Any) -> None:
    event, resource = what
    trigger = EventTrigger(
        expect={event},
        match={"prefect.resource.id": resource},
        threshold=1,
        within=timedelta(0),
    )
    is_wanted = all(old.enabled for old in client.read_automations_by_name(name))
    _delete(client, name)
    client.create_automation(
        AutomationCore(name=name, description=about, enabled=is_wanted, trigger=trigger, actions=[action])
    )


def _told(event: str) -> str:
    return f"bilderatlas: tell of {event}"


def _delete(client: SyncPrefectClient, name: str) -> None:
    for old in client.read_automations_by_name(name):
        client.delete_automation(old.id)
