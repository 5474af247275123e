/** One notification as the request that carries it (A2A 4.3.3): what it says, its credentials, its signature. */
import type { WebhookRequest } from './ports.ts';
import type { PushConfig, PushSecrets } from './config.ts';
import type { Payload } from './payload.ts';
import { SIGNATURE_HEADER, SIGNING_SCHEME, signature, TOKEN_HEADER } from './signature.ts';

/** Signed anew for each attempt: the time in the signature is the time of the attempt. */
export function notification(
  config: Pick<PushConfig, 'url' | 'scheme'>,
  secrets: PushSecrets,
  payload: Payload,
  nowMs: number,
): WebhookRequest {
  const body = JSON.stringify(payload.json);
  const { token, credentials } = secrets;
  const signs = config.scheme?.toUpperCase() === SIGNING_SCHEME;
  const key = signs ? credentials : token;
  const signed = key === undefined ? undefined : signature(key, body, nowMs);
  const authorization = signs ? signed : credentials;
  return {
    url: config.url,
    headers: {
      'Content-Type': payload.mediaType,
      'User-Agent': 'askback',
      ...(config.scheme === undefined
        ? {}
        : { Authorization: authorization === undefined ? config.scheme : `${config.scheme} ${authorization}` }),
      ...(token === undefined ? {} : { [TOKEN_HEADER]: token }),
      ...(signed === undefined ? {} : { [SIGNATURE_HEADER]: signed }),
    },
    body,
  };
}
