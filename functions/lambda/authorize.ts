/** Lambda entry of the authorize function; deployed only where callers show the JWT of an issuer. */
import { authorizeHandler } from '../authorize.ts';
import { wireAuthorizer } from '../wiring.ts';

export const handler = authorizeHandler(wireAuthorizer());
