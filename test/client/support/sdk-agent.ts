/** An agent of the official SDK on loopback: it knows nothing of questions but words. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentCard, Task as SdkTask, TaskArtifactUpdateEvent } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  type RequestContext,
  ServerCallContext,
} from '@a2a-js/sdk/server';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import type { Part } from '../../../client/index.ts';

/** What the agent does with the n-th message of a task, from 1: its next status, and an artifact with the last. */
export type Script = (said: string, n: number) => { readonly state: string; readonly parts: readonly Part[] };

export interface SdkAgent {
  readonly url: string;
  /** Texts and data of all messages that arrived. */
  readonly heard: string[];
  stop(): Promise<void>;
}

/** Asks for a colour, then for a size. */
export const colourAndSize: Script = (said, n) => {
  if (n === 1) return { state: 'TASK_STATE_INPUT_REQUIRED', parts: [{ text: 'Which colour?' }] };
  if (n === 2) return { state: 'TASK_STATE_INPUT_REQUIRED', parts: [{ text: `${said} it is. Which size?` }] };
  return { state: 'TASK_STATE_COMPLETED', parts: [{ text: `done: ${said}` }] };
};

export interface SdkAgentOptions {
  readonly streaming?: boolean;
  /** What the agent speaks, and nothing besides. */
  readonly version?: '1.0' | '0.3';
}

export async function startSdkAgent(
  script: Script,
  { streaming = true, version = '1.0' }: SdkAgentOptions = {},
): Promise<SdkAgent> {
  const heard: string[] = [];
  const rounds = new Map<string, number>();
  const taskOf = (context: RequestContext, state: string, parts: readonly Part[]) => {
    const { taskId, contextId } = context;
    const message = { messageId: randomUUID(), role: 'ROLE_AGENT', taskId, contextId, parts };
    const status = { state, message, timestamp: new Date().toISOString() };
    return SdkTask.fromJSON({ id: taskId, contextId, status });
  };
  const executor: AgentExecutor = {
    async execute(context, bus) {
      const [part] = context.userMessage.parts;
      const said = part?.content?.$case === 'text' ? part.content.value : JSON.stringify(part?.content?.value);
      heard.push(said);
      const n = (rounds.get(context.taskId) ?? 0) + 1;
      rounds.set(context.taskId, n);
      bus.publish(AgentEvent.task(taskOf(context, 'TASK_STATE_WORKING', [{ text: 'thinking' }])));
      const { state, parts } = script(said, n);
      const task = taskOf(context, state, parts);
      if (!task.status) throw new Error('no status');
      const { taskId, contextId } = context;
      if (state === 'TASK_STATE_COMPLETED') {
        const artifact = { artifactId: 'a', name: 'result', parts };
        bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON({ taskId, contextId, artifact })));
      }
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: task.status, metadata: {} }));
    },
    async cancelTask(taskId, bus) {
      const status = { state: 'TASK_STATE_CANCELED', timestamp: new Date().toISOString() };
      const task = SdkTask.fromJSON({ id: taskId, contextId: '', status });
      if (!task.status) throw new Error('no status');
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId: '', status: task.status, metadata: {} }));
      bus.finished();
    },
  };
  let rpc: JsonRpcTransportHandler | LegacyJsonRpcTransportHandler;
  let cardJson: unknown;
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(cardJson));
    }
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const answer = await rpc.handle(body, new ServerCallContext({ requestedVersion: version }));
    if (!(Symbol.asyncIterator in answer)) {
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    try {
      for await (const event of answer) response.write(`data: ${JSON.stringify(event)}\n\n`);
    } catch {
      // The SDK ends a stream that way when a second turn begins on it; its own servers close the connection then too.
    }
    return response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const card = AgentCard.fromJSON({
    name: 'Words\u001b[31m only\u202e',
    description: 'Asks in words.',
    version: '1.0.0',
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  });
  const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  cardJson = version === '0.3' ? legacyCard(url, streaming) : AgentCard.toJSON(card);
  rpc = version === '0.3' ? new LegacyJsonRpcTransportHandler(handler) : new JsonRpcTransportHandler(handler);
  return {
    url,
    heard,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** As agents of A2A 0.3 describe themselves. */
function legacyCard(url: string, streaming: boolean): object {
  return {
    protocolVersion: '0.3.0',
    name: 'Words of old',
    description: 'Asks in words.',
    version: '1.0.0',
    url,
    preferredTransport: 'JSONRPC',
    capabilities: { streaming },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  };
}
