/** What a caller of an Askback agent imports. */
export { type ReceivedRequest, type VerifyOptions, verifyWebhook, WebhookRefused } from './verify-webhook.ts';
