/** `@a2a-js/sdk`'s own server on a store of its kind, with an executor that asks the same question by hand. */
import { type Message, type Part, Role, type Task, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  ServerCallContext,
  type TaskStore,
} from '@a2a-js/sdk/server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Contender } from './contender.ts';
import { ANSWER, ANSWER_SCHEMA, ASKED_TEXT, CARD, FILED, OPTIONS, REQUEST_TEXT } from './question.ts';

type Json = { readonly [name: string]: unknown };

export function a2aJsInMemory(rounds = 1): Contender {
  return a2aJsOn({ store: new InMemoryTaskStore(), rounds });
}

export interface A2aJsOptions {
  readonly store: TaskStore;
  readonly rounds: number;
  stop?(): Promise<void>;
}

export function a2aJsOn({ store, rounds, stop }: A2aJsOptions): Contender {
  const handler = new DefaultRequestHandler(CARD_OF_SDK, store, executor(rounds));
  const send = async (message: Message): Promise<Task> => {
    const configuration = {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      historyLength: 0,
      returnImmediately: false,
    };
    const request = { tenant: '', message, configuration, metadata: undefined };
    const sent = await handler.sendMessage(request, new ServerCallContext());
    if (!('status' in sent)) throw new Error('no task');
    return sent;
  };
  return {
    async ask(id) {
      const { status } = await send(message('user', `${id}-0`, [text(REQUEST_TEXT)]));
      if (status?.state !== TaskState.TASK_STATE_INPUT_REQUIRED) throw new Error('asks nothing');
    },
    async cycle(id) {
      let task = await send(message('user', `${id}-0`, [text(REQUEST_TEXT)]));
      for (let round = 1; round <= rounds; round++) {
        const { questionId } = dataOf(task.status?.message);
        const answer = message('user', `${id}-${round}`, [data({ questionId, ...ANSWER })], task);
        task = await send(answer);
      }
      if (task.status?.state !== TaskState.TASK_STATE_COMPLETED) throw new Error('not completed');
      if (task.artifacts.length !== 1) throw new Error('no artifact');
    },
    ...(stop ? { stop } : {}),
  };
}

/** What an author writes today: asks by a status message, and tells by the history which round this is. */
function executor(rounds: number): AgentExecutor {
  const isAnswer = new Ajv2020().compile(ANSWER_SCHEMA);
  return {
    async execute({ taskId, contextId, task, userMessage }, bus) {
      const asked = task?.status?.message ? dataOf(task.status.message) : undefined;
      const round = asked ? Number(asked.round) : 0;
      if (asked) {
        const { questionId, ...answer } = dataOf(userMessage);
        if (questionId !== asked.questionId || !isAnswer(answer)) throw new Error('no valid answer');
      }
      const status = (state: TaskState, said?: Message) => ({
        state,
        message: said,
        timestamp: new Date().toISOString(),
      });
      bus.publish(
        AgentEvent.task({
          id: taskId,
          contextId,
          status: status(TaskState.TASK_STATE_WORKING),
          artifacts: task?.artifacts ?? [],
          history: task ? [...task.history, userMessage] : [userMessage],
          metadata: undefined,
        }),
      );
      const update = (state: TaskState, said?: Message) =>
        bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(state, said), metadata: undefined }));
      if (round < rounds) {
        const questionId = `q-${taskId}-${round + 1}`;
        const expires = new Date(Date.now() + 86_400_000).toISOString();
        const question = { questionId, expires, answerSchema: ANSWER_SCHEMA, options: OPTIONS, round: round + 1 };
        const said = message('agent', questionId, [text(ASKED_TEXT), data(question)], { id: taskId, contextId });
        return update(TaskState.TASK_STATE_INPUT_REQUIRED, said);
      }
      bus.publish(
        AgentEvent.artifactUpdate({
          taskId,
          contextId,
          artifact: {
            artifactId: 'expense',
            name: 'expense',
            description: '',
            parts: [data(FILED)],
            metadata: undefined,
            extensions: [],
          },
          append: false,
          lastChunk: true,
          metadata: undefined,
        }),
      );
      return update(TaskState.TASK_STATE_COMPLETED);
    },
    async cancelTask() {
      throw new Error('nothing is canceled here');
    },
  };
}

function message(
  from: 'user' | 'agent',
  messageId: string,
  parts: Part[],
  { id, contextId }: Pick<Task, 'id' | 'contextId'> = { id: '', contextId: '' },
): Message {
  const role = from === 'user' ? Role.ROLE_USER : Role.ROLE_AGENT;
  return { messageId, contextId, taskId: id, role, parts, metadata: undefined, extensions: [], referenceTaskIds: [] };
}

function text(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: '' };
}

function data(value: Json): Part {
  return { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: 'application/json' };
}

function dataOf(said: Message | undefined): Json {
  for (const { content } of said?.parts ?? []) if (content?.$case === 'data') return content.value as Json;
  throw new Error('a message without a data part');
}

const CARD_OF_SDK: ConstructorParameters<typeof DefaultRequestHandler>[0] = {
  name: CARD.name,
  description: CARD.description,
  version: CARD.version,
  supportedInterfaces: [],
  provider: undefined,
  capabilities: { streaming: true, pushNotifications: false, extensions: [] },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  signatures: [],
};
