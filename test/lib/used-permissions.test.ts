/** What each function does to the table, seen at the client, against what its role allows: nothing less, nothing more. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DynamoPushStore } from '../../aws/dynamodb-push-store.ts';
import { DynamoTaskStore } from '../../aws/dynamodb-task-store.ts';
import { RetryableError } from '../../core/errors.ts';
import type { Message, Task } from '../../core/message.ts';
import { createPushConfig } from '../../core/operations/create-push-config.ts';
import { deletePushConfig } from '../../core/operations/delete-push-config.ts';
import { deliverPush } from '../../core/operations/deliver-push.ts';
import { doDue } from '../../core/operations/do-due.ts';
import { getTask } from '../../core/operations/get-task.ts';
import { listTasks } from '../../core/operations/list-tasks.ts';
import { runTurn } from '../../core/operations/run-turn.ts';
import { sendMessage } from '../../core/operations/send-message.ts';
import { sweep } from '../../core/operations/sweep.ts';
import { tinyAgent } from '../core/operations/tiny-agent.ts';
import { AMPLE, alice, answerTo, request } from '../core/operations/world.ts';
import { CountingIds } from '../fakes/counting-ids.ts';
import { fakeDeps } from '../fakes/deps.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { MemoryQueue } from '../fakes/memory-queue.ts';
import { fakePush } from '../fakes/push.ts';
import { type LocalDynamo, localClient, startDynalite } from '../support/dynalite.ts';
import { agentTemplate, resources } from './stacks.ts';

const DAY_MS = 86_400_000;
/** With an answer that is kept as a secret, and a question too long for the head: there is something beside it. */
const agent = tinyAgent({
  spec: {
    text: 'Which cost centre? '.repeat(400),
    schema: {
      type: 'object',
      required: ['costCentre', 'pin'],
      properties: { costCentre: { type: 'string' }, pin: { type: 'string', writeOnly: true } },
    },
    options: {},
  },
});

const clock = new ManualClock();
const queue = new MemoryQueue(clock);
const ids = new CountingIds();
const push = fakePush(clock);
let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynalite();
});
afterAll(() => dynamo.stop());

/** The ports of one function: a client of its own, and what was asked of it: an action, with an index. */
function functionOf() {
  const used = new Set<string>();
  const client = localClient(dynamo.endpoint);
  client.middlewareStack.add(
    (next, context) => (args) => {
      const { IndexName } = args.input as { IndexName?: string };
      const action = `dynamodb:${String(context.commandName).replace('Command', '')}`;
      used.add(IndexName === undefined ? action : `${action} ${IndexName}`);
      return next(args);
    },
    { step: 'initialize', name: 'used' },
  );
  const of = { client, tableName: dynamo.tableName };
  const store = new DynamoTaskStore(of);
  const ports = { ...push, store: new DynamoPushStore(of) };
  return { used, deps: fakeDeps({ agent, clock, queue, ids, store, push: ports }) };
}

type Recorded = ReturnType<typeof functionOf>;

/** The same, as the template has it. */
function allowed(role: string): string[] {
  const policies = Object.values(resources(agentTemplate(), 'AWS::IAM::Policy')).map(({ Properties }) => Properties);
  const { PolicyDocument } = policies.find(({ Roles }) => (Roles as string[]).includes(`<${role}>`)) as {
    PolicyDocument: { Statement: { Action: string | string[]; Resource: string | string[] }[] };
  };
  return PolicyDocument.Statement.flatMap(({ Action, Resource }) => {
    const actions = [Action].flat().filter((action) => action.startsWith('dynamodb:'));
    return [Resource].flat().flatMap((resource) => {
      const [, index] = resource.split('/index/');
      return actions.map((action) => (index === undefined ? action : `${action} ${index}`));
    });
  }).sort();
}

describe('least privilege, by use (design 10)', () => {
  it('each function does what its role allows, and all of it', async () => {
    const [api, worker, deadline] = [functionOf(), functionOf(), functionOf()];
    const [sweeper, sender] = [functionOf(), functionOf()];
    const send = async (message: Omit<Message, 'role'>): Promise<Task> => {
      const configuration = { returnImmediately: true };
      const result = await sendMessage(api.deps, alice, { message: { ...message, role: 'ROLE_USER' }, configuration });
      return (result as { task: Task }).task;
    };
    const turn = async () => {
      for (let next = queue.take(); next; next = queue.take()) {
        await runTurn(worker.deps, next, AMPLE);
        await runTurn(worker.deps, next, AMPLE);
      }
    };
    /** A task that ends; `forgets`: whether its secret goes with it, or is lost on somebody who comes later. */
    const task = async (n: number, forgets: boolean) => {
      const { id, contextId } = await send({ ...request, messageId: `first-${n}` });
      await createPushConfig(api.deps, alice, { taskId: id, id: 'hook', url: 'https://receiver.example/hook' });
      await turn();
      const asked = await getTask(api.deps, alice, { id });
      await send(answerTo(asked, { costCentre: 'CC-4410', pin: '4711' }, `answer-${n}`));
      const { store } = worker.deps;
      const { dropSecrets } = store;
      if (!forgets) store.dropSecrets = () => Promise.reject(new RetryableError('STORE_UNAVAILABLE', 'down'));
      await turn();
      store.dropSecrets = dropSecrets;
      expect((await getTask(api.deps, alice, { id })).status.state).toBe('TASK_STATE_COMPLETED');
      return { id, contextId };
    };
    const first = await task(1, true);
    const left = await task(2, false);
    await task(3, false);
    for (let next = push.queue.take(); next; next = push.queue.take()) await deliverPush(sender.deps, next, AMPLE);
    await listTasks(api.deps, alice, {});
    await listTasks(api.deps, alice, { contextId: first.contextId });
    await deletePushConfig(api.deps, alice, { taskId: first.id, id: 'hook' });
    for (const ms of [DAY_MS, 31 * DAY_MS]) {
      await clock.advance(ms);
      await doDue(deadline.deps, left.id);
      await sweep(sweeper.deps, AMPLE);
    }
    const used = (one: Recorded) => [...one.used].sort();
    expect(used(api)).toEqual(allowed('AgentApiFunctionRole'));
    expect(used(worker)).toEqual(allowed('AgentWorkerRole'));
    expect(used(deadline)).toEqual(allowed('AgentDeadlineRole'));
    expect(used(sweeper)).toEqual(allowed('AgentSweepRole'));
    expect(used(sender)).toEqual(allowed('AgentDeliverPushRole'));
  });
});
