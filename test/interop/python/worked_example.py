"""The worked example with the official Python SDK as the caller: both bindings, in A2A 1.0 and in 0.3.

Run by run.sh in this folder against a running expense agent. Ends with 1 and says what differs when anything does.
"""

import asyncio
import sys
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types.a2a_pb2 import (
    AgentCard,
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
    TaskState,
)
from a2a.utils.errors import TaskNotFoundError, UnsupportedOperationError
from google.protobuf.json_format import MessageToDict, ParseDict

REQUEST = 'File my taxi receipt from Tuesday, 42 euros'
QUESTION = 'Which cost centre should this expense be charged to?'


def check(what, actual, expected):
    if actual != expected:
        raise AssertionError(f'{what}: expected {expected!r}, got {actual!r}')


def message(part, task_id=''):
    return SendMessageRequest(
        message=Message(
            message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=[part], task_id=task_id
        )
    )


def data(value):
    return ParseDict({'data': value}, Part())


def question(task):
    """The data part of the status message, as a dictionary."""
    return next(
        MessageToDict(part)['data'] for part in task.status.message.parts if part.HasField('data')
    )


def short(message_id):
    """Ids of questions begin with the task's id; the number at their end is what counts here."""
    return 'q-' + message_id.rsplit('-', 1)[1] if message_id.startswith('q-') else 'said'


async def send(client, request):
    """The task as it is when the call, blocking or streamed, has come to its end."""
    task = Task()
    async for event in client.send_message(request):
        kind = event.WhichOneof('payload')
        if kind == 'task':
            task.CopyFrom(event.task)
        elif kind == 'status_update':
            task.status.CopyFrom(event.status_update.status)
        elif kind == 'artifact_update':
            task.artifacts.add().CopyFrom(event.artifact_update.artifact)
    return task


async def worked_example(client):
    asked = await send(client, message(Part(text=REQUEST)))
    check('state', asked.status.state, TaskState.TASK_STATE_INPUT_REQUIRED)
    check('text', asked.status.message.parts[0].text, QUESTION)
    first = question(asked)
    check('options', first['options'], ['CC-4410', 'CC-4420'])
    check('first question', short(first['questionId']), 'q-1')

    refused = await send(client, message(Part(text='engineering'), asked.id))
    check('state', refused.status.state, TaskState.TASK_STATE_INPUT_REQUIRED)
    second = question(refused)
    check('second question', short(second['questionId']), 'q-2')
    check('errors', [e['message'] for e in second['errors']], ['expected one of CC-4410, CC-4420'])

    answer = {'questionId': second['questionId'], 'costCentre': 'CC-4410'}
    done = await send(client, message(data(answer), asked.id))
    check('state', done.status.state, TaskState.TASK_STATE_COMPLETED)

    task = await client.get_task(GetTaskRequest(id=asked.id))
    expense = MessageToDict(task.artifacts[0].parts[0])['data']
    check('cost centre', (expense['costCentre'], expense['amount']), ('CC-4410', 42))
    history = [short(entry.message_id) for entry in task.history]
    check('history', history, ['said', 'q-1', 'said', 'q-2', 'said'])
    try:
        await send(client, message(Part(text='CC-4420'), asked.id))
        raise AssertionError('a task that has ended took a message')
    except UnsupportedOperationError:
        pass


async def other_operations(client, version):
    asked = await send(client, message(Part(text=REQUEST)))
    events = client.subscribe(SubscribeToTaskRequest(id=asked.id))
    event = await anext(events)
    check('first event', event.WhichOneof('payload'), 'task')
    await events.aclose()
    if version == '1.0':
        page = await client.list_tasks(ListTasksRequest(context_id=asked.context_id))
        check('tasks of the context', [task.id for task in page.tasks], [asked.id])
    canceled = await client.cancel_task(CancelTaskRequest(id=asked.id))
    check('state', canceled.status.state, TaskState.TASK_STATE_CANCELED)
    try:
        await client.get_task(GetTaskRequest(id='no-such-task'))
        raise AssertionError('an unknown task was found')
    except TaskNotFoundError:
        pass


def only(card, version):
    """The card as an agent that speaks this version alone would have it."""
    chosen = AgentCard()
    chosen.CopyFrom(card)
    del chosen.supported_interfaces[:]
    chosen.supported_interfaces.extend(
        interface for interface in card.supported_interfaces if interface.protocol_version == version
    )
    return chosen


async def main(url):
    failed = 0
    async with httpx.AsyncClient(timeout=30) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        for version in ('1.0', '0.3'):
            for binding in ('JSONRPC', 'HTTP+JSON'):
                for streaming in (False, True):
                    name = f'A2A {version}, {binding}, {"streamed" if streaming else "blocking"}'
                    config = ClientConfig(
                        httpx_client=http, streaming=streaming, supported_protocol_bindings=[binding]
                    )
                    client = ClientFactory(config).create(only(card, version))
                    try:
                        await worked_example(client)
                        if streaming:
                            await other_operations(client, version)
                        print(f'ok: {name}')
                    except Exception as error:  # noqa: BLE001 - every failure is told, and the next way is tried
                        failed += 1
                        print(f'FAILED: {name}: {type(error).__name__}: {error}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(asyncio.run(main(sys.argv[1])))
