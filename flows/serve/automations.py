"""What Prefect's server does by itself when it hears of a dataset: it checks what was published, and tells a person
where a build was refused, or a source has shrunk or changed.

An automation that a person has changed, switched off or deleted on Prefect's page stays so: a variable keeps the digest
of each as it was written, and what differs from it is a person's.
"""

import hashlib
import json
from datetime import timedelta
from typing import Any

from prefect.blocks.notifications import CustomWebhookNotificationBlock
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import VariableCreate, VariableUpdate
from prefect.events.actions import RunDeployment, SendNotification
from prefect.events.schemas.automations import Automation, AutomationCore, EventTrigger, Posture

from tasks.page.events import CHANGED, PUBLISHED, REFUSED, SHRUNK

DOWNSTREAM = "verify_release/verify"
"""The deployment that starts when a dataset is published."""

DIGESTS = "bilderatlas_automations"
"""The variable with the digests."""

_BLOCK = "bilderatlas-notify"
_NOTICES = {
    REFUSED: ("bilderatlas.dataset.*", "{{ event.payload.name }}: nothing is published", "{{ event.payload.reason }}"),
    SHRUNK: (
        "bilderatlas.source.*",
        "{{ event.payload.name }}: {{ event.payload.source }} has shrunk",
        "It lists {{ event.payload.now }} works; at the last release it listed {{ event.payload.before }}.",
    ),
    CHANGED: (
        "bilderatlas.source.*",
        "{{ event.payload.name }}: {{ event.payload.source }} has changed",
        "{{ event.payload.sentence }}",
    ),
}
"""Of each event that a person is told of: the resource, the subject and the text."""


def create_automations(notify_url: str | None, *, are_kept: bool = False) -> None:
    """Write the automations to the server of PREFECT_API_URL.

    notify_url: where a JSON object with a `text` is posted, as Slack, Mattermost and others take it. Without it,
    nobody is told of anything any more; are_kept: whoever was told is told as before.
    """
    with get_client(sync_client=True) as client:
        deployment = client.read_deployment_by_name(DOWNSTREAM)
        release = {"__prefect_kind": "jinja", "template": "{{ event.payload.release }}"}
        verify = RunDeployment(source="selected", deployment_id=deployment.id, parameters={"release": release})
        about = "Starts verify_release on each release, also on one that was there already."
        name = "bilderatlas: check what is published"
        write_automation(client, _on_event(name, about, (PUBLISHED, "bilderatlas.dataset.*"), verify))
        if notify_url is None:
            for event in () if are_kept else _NOTICES:
                _withdraw(client, _name_of_notice(event))
            return
        block = _notification_block(notify_url)
        for event, (resource, subject, body) in _NOTICES.items():
            tell = SendNotification(block_document_id=block, subject=subject, body=body)
            about = f"Posts to {_BLOCK}."
            write_automation(client, _on_event(_name_of_notice(event), about, (event, resource), tell))


def write_automation(client: SyncPrefectClient, automation: AutomationCore) -> None:
    """Make it, or bring it up to date; a person's changes stay."""
    digests = _read_digests(client)
    before = _find(client, automation.name)
    if automation.name in digests and _digest(before) != digests[automation.name]:
        return
    if before is None:
        client.create_automation(automation)
    else:
        client.update_automation(before.id, automation.model_copy(update={"enabled": before.enabled}))
    _save_digests(client, {**digests, automation.name: _digest(_find(client, automation.name))})


def _withdraw(client: SyncPrefectClient, name: str) -> None:
    """Delete what was written, unless a person has changed it or switched it off."""
    digests = _read_digests(client)
    before = _find(client, name)
    if before is not None and before.enabled and _digest(before) == digests.get(name):
        client.delete_automation(before.id)
        _save_digests(client, {other: digest for other, digest in digests.items() if other != name})


def _find(client: SyncPrefectClient, name: str) -> Automation | None:
    return next(iter(client.read_automations_by_name(name)), None)


def _digest(automation: Automation | None) -> str:
    """Of what it does; nothing of one that is not there. Whether it is switched on does not count."""
    if automation is None:
        return ""
    fields = automation.model_dump(mode="json", include={"description", "trigger", "actions"})
    return hashlib.sha256(json.dumps(_in_order(fields), sort_keys=True).encode()).hexdigest()


def _in_order(value: Any) -> Any:
    """Lists sorted: among them are sets, which come in another order each time."""
    if isinstance(value, dict):
        return {name: _in_order(field) for name, field in value.items()}
    return sorted(map(_in_order, value), key=json.dumps) if isinstance(value, list) else value


def _read_digests(client: SyncPrefectClient) -> dict[str, str]:
    variable = client.read_variable_by_name(DIGESTS)
    return dict(variable.value) if variable is not None and isinstance(variable.value, dict) else {}


def _save_digests(client: SyncPrefectClient, digests: dict[str, str]) -> None:
    if client.read_variable_by_name(DIGESTS) is None:
        client.create_variable(VariableCreate(name=DIGESTS, value=digests))
    else:
        client.update_variable(VariableUpdate(name=DIGESTS, value=digests))


def _notification_block(notify_url: str) -> Any:
    """The id of the block that posts. The address is one of its secrets, since whoever knows it can post, too."""
    block = CustomWebhookNotificationBlock(
        name="bilderatlas",
        url="{{url}}",
        json_data={"text": "{{subject}}\n{{body}}"},
        secrets={"url": notify_url},
    )
    return block.save(_BLOCK, overwrite=True)


def _on_event(name: str, about: str, what: tuple[str, str], action: Any) -> AutomationCore:
    event, resource = what
    trigger = EventTrigger(
        expect={event},
        match={"prefect.resource.id": resource},
        posture=Posture.Reactive,
        threshold=1,
        within=timedelta(0),
    )
    return AutomationCore(name=name, description=about, trigger=trigger, actions=[action])


def _name_of_notice(event: str) -> str:
    return f"bilderatlas: tell of {event}"
