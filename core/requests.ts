/** Requests of the operations, as the wire layer hands them over: checked, with unknown fields removed. */
import type { JsonObject } from './json.ts';
import type { Message, TaskState } from './message.ts';

export interface SendMessageRequest {
  readonly message: Message;
  readonly configuration?: {
    readonly acceptedOutputModes?: readonly string[];
    readonly historyLength?: number;
    readonly returnImmediately?: boolean;
  };
  readonly metadata?: JsonObject;
}

export interface GetTaskRequest {
  readonly id: string;
  /** Unset: the newest 100 messages; 0: none. */
  readonly historyLength?: number;
}

export interface CancelTaskRequest {
  readonly id: string;
  readonly metadata?: JsonObject;
}

export interface ListTasksRequest {
  readonly contextId?: string;
  readonly status?: TaskState;
  readonly pageSize?: number;
  readonly pageToken?: string;
  readonly historyLength?: number;
  readonly statusTimestampAfter?: string;
  readonly includeArtifacts?: boolean;
}
