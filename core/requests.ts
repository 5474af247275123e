/** Requests of the operations, as the wire layer hands them over: checked, with unknown fields removed. */
import type { JsonObject } from './json.ts';
import type { Message, TaskState } from './message.ts';

export interface SendMessageRequest {
  readonly message: Message;
  readonly configuration?: {
    readonly acceptedOutputModes?: readonly string[];
    readonly historyLength?: number;
    readonly returnImmediately?: boolean;
    readonly taskPushNotificationConfig?: PushConfigRequest;
  };
  readonly metadata?: JsonObject;
  /** From the metadata: the message is refused unless the task has this generation. A new task has none. */
  readonly ifGenerationMatch?: number;
}

export interface GetTaskRequest {
  readonly id: string;
  /** Unset: the newest 100 messages; 0: none. */
  readonly historyLength?: number;
  /** From the metadata: wait until the task has gone beyond this generation, but at most `waitMs`. */
  readonly currentGeneration?: number;
  readonly waitMs?: number;
}

export interface SubscribeToTaskRequest {
  readonly id: string;
}

/** What a caller wants to be told of, and where (A2A 4.3.1). */
export interface PushConfigRequest {
  /** Unset: derived from the URL. */
  readonly id?: string;
  readonly url: string;
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
  /** The caller speaks A2A 0.3, and wants to be told in it. */
  readonly protocol?: '0.3';
}

export interface CreatePushConfigRequest extends PushConfigRequest {
  readonly taskId: string;
}

/** Of GetTaskPushNotificationConfig and DeleteTaskPushNotificationConfig. */
export interface PushConfigName {
  readonly taskId: string;
  readonly id: string;
}

export interface ListPushConfigsRequest {
  readonly taskId: string;
  /** Unset or 0: all. */
  readonly pageSize?: number;
  readonly pageToken?: string;
}

export interface CancelTaskRequest {
  readonly id: string;
  readonly metadata?: JsonObject;
}

export interface ListTasksRequest {
  readonly contextId?: string;
  readonly status?: TaskState;
  /** 1 to 100; unset: 50. */
  readonly pageSize?: number;
  readonly pageToken?: string;
  /** Unset: none. */
  readonly historyLength?: number;
  /** `statusTimestampAfter`, in milliseconds since the epoch: a status of this time or later. */
  readonly sinceMs?: number;
  readonly includeArtifacts?: boolean;
}
