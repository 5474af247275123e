/** Receivers in memory: records what they were sent, and answers as a test tells them to. */
import type { WebhookRequest, WebhookResult, Webhooks } from '../../core/push/ports.ts';

export interface Post extends WebhookRequest {
  readonly payload: Record<string, never>;
}

export class MemoryWebhooks implements Webhooks {
  /** Every post that was made, taken or not, in order. */
  readonly posts: Post[] = [];
  /** What a receiver answers; default: it takes everything. */
  answer: (request: Post) => WebhookResult | Promise<WebhookResult> = () => ({ ok: true });
  /** What is wrong with an address; default: nothing. */
  problem: (url: string) => string | undefined = () => undefined;

  async refusal(url: string): Promise<string | undefined> {
    return this.problem(url);
  }

  async post(request: WebhookRequest): Promise<WebhookResult> {
    const post = { ...request, payload: JSON.parse(request.body) as Record<string, never> };
    this.posts.push(post);
    return this.answer(post);
  }
}
