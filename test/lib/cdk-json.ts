/** cdk.json, whose context, feature flags above all, the CDK's command line passes on to the app; tests do so as well. */
import { readFileSync } from 'node:fs';

interface CdkJson {
  readonly app: string;
  readonly context: Readonly<Record<string, unknown>>;
}

export const cdkJson = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8')) as CdkJson;
