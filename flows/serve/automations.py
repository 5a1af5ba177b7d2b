"""What Prefect's server does when it hears of a dataset: it checks releases, and tells of refusals and changed sources.
A variable has the digest of each automation as it was written: what differs is a person's, and stays.
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
_BLOCK, _TELL = "bilderatlas-notify", "bilderatlas: tell of "
_NAME, _SOURCE = "{{ event.payload.name }}", "{{ event.payload.name }}: {{ event.payload.source }}"
_LISTS = "It lists {{ event.payload.now }} works; at the last release it listed {{ event.payload.before }}."
_NOTICES = {
    REFUSED: ("bilderatlas.dataset.*", f"{_NAME}: nothing is published", "{{ event.payload.reason }}"),
    SHRUNK: ("bilderatlas.source.*", f"{_SOURCE} has shrunk", _LISTS),
    CHANGED: ("bilderatlas.source.*", f"{_SOURCE} has changed", "{{ event.payload.sentence }}"),
}
"""Of each event that a person is told of: the resource, the subject and the text."""


def create_automations(notify_url: str | None, *, are_kept: bool = False) -> None:
    """Write the automations. notify_url: is posted JSON with a `text`; None: no notices; with are_kept, as before."""
    with get_client(sync_client=True) as client:
        deployment = client.read_deployment_by_name(DOWNSTREAM)
        release = {"__prefect_kind": "jinja", "template": "{{ event.payload.release }}"}
        verify = RunDeployment(source="selected", deployment_id=deployment.id, parameters={"release": release})
        about = "Starts verify_release on each release, also on one that was there already."
        name = "bilderatlas: check what is published"
        write_automation(client, _on_event(name, about, (PUBLISHED, "bilderatlas.dataset.*"), verify))
        if notify_url is None:
            if not are_kept:
                _withdraw_notices(client)
            return
        # the address is a secret of the block, since whoever knows it can post, too
        text, secrets = {"text": "{{subject}}\n{{body}}"}, {"url": notify_url}
        block = CustomWebhookNotificationBlock(name="bilderatlas", url="{{url}}", json_data=text, secrets=secrets)
        block_id: Any = block.save(_BLOCK, overwrite=True)
        for event, (resource, subject, body) in _NOTICES.items():
            tell = SendNotification(block_document_id=block_id, subject=subject, body=body)
            write_automation(client, _on_event(_TELL + event, f"Posts to {_BLOCK}.", (event, resource), tell))


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


def _withdraw_notices(client: SyncPrefectClient) -> None:
    """Delete those that were written, unless a person has changed them or switched them off."""
    for name in (_TELL + event for event in _NOTICES):
        digests, before = _read_digests(client), _find(client, name)
        if before is not None and before.enabled and _digest(before) == digests.pop(name, None):
            client.delete_automation(before.id)
            _save_digests(client, digests)


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


def _on_event(name: str, about: str, what: tuple[str, str], action: Any) -> AutomationCore:
    event, resource = what
    match = {"prefect.resource.id": resource}
    trigger = EventTrigger(expect={event}, match=match, posture=Posture.Reactive, threshold=1, within=timedelta(0))
    return AutomationCore(name=name, description=about, trigger=trigger, actions=[action])
