/** A small JSON document from an https address: no redirects, a time limit, a size limit. */
import { isJsonObject } from '../core/json.ts';
import type { FetchJson } from './issuer-keys.ts';

const TIMEOUT_MS = 3_000;
/** Issuers of many tenants have some dozens of keys with certificates: below 100 KB. */
const BYTES = 512 * 1024;

/** @param get default: the runtime's own fetch */
export function httpsJson(get: typeof fetch = fetch): FetchJson {
  return async (url) => {
    if (new URL(url).protocol !== 'https:') throw new Error('only https is asked');
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await get(url, { redirect: 'error', signal, headers: { accept: 'application/json' } });
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      throw new Error(`the issuer answered ${response.status}`);
    }
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes > BYTES) throw new Error(`the issuer answered with more than ${BYTES} bytes`);
      chunks.push(chunk);
    }
    const json: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (!isJsonObject(json)) throw new Error('the issuer answered with no JSON object');
    return json;
  };
}
