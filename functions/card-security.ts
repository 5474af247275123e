/** What the agent card says about authentication (A2A 1.0 section 4.5), so that it is what the gateway asks for. */
import { discoveryUrl } from '../core/issuer.ts';
import type { CardSecurity } from '../core/wire/card.ts';
import type { AuthSettings } from './auth-settings.ts';

export function cardSecurity(auth: AuthSettings): CardSecurity {
  return auth === 'iam' ? IAM : { schemes: { jwt: openIdConnect(auth) }, requirements: [{ schemes: { jwt: {} } }] };
}

const IAM: CardSecurity = {
  schemes: {
    iam: {
      httpAuthSecurityScheme: {
        description: 'AWS Signature Version 4 for the service execute-api, by a caller who may execute-api:Invoke.',
        scheme: 'AWS4-HMAC-SHA256',
      },
    },
  },
  requirements: [{ schemes: { iam: {} } }],
};

function openIdConnect({ issuer, audience }: Exclude<AuthSettings, 'iam'>): CardSecurity['schemes'][string] {
  const description = `A JWT of this issuer as bearer token; audience: ${audience.join(' or ')}.`;
  return { openIdConnectSecurityScheme: { description, openIdConnectUrl: discoveryUrl(issuer) } };
}
