/** REST proxy events (payload 1.0) become requests of the wire: paths, addresses, headers, bodies. */
import { describe, expect, it } from 'vitest';
import { fromGatewayEvent, toGatewayResult } from '../../functions/gateway-event.ts';
import { gatewayEvent } from './events.ts';

describe('fromGatewayEvent', () => {
  it('reads an event of the default domain', () => {
    const event = gatewayEvent({
      path: '/tasks/t1',
      method: 'GET',
      query: { historyLength: ['1', '2'] },
      headers: { 'A2A-Extensions': ['https://a', 'https://b'] },
    });
    expect(fromGatewayEvent(event)).toEqual({
      method: 'GET',
      path: '/tasks/t1',
      query: { historyLength: ['1', '2'] },
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'a2a-version': '1.0',
        'a2a-extensions': 'https://a, https://b',
        host: 'abc123.execute-api.eu-west-1.amazonaws.com',
        'x-forwarded-proto': 'https',
      },
      body: undefined,
      baseUrl: 'https://abc123.execute-api.eu-west-1.amazonaws.com/prod',
      requestId: 'gateway-request-1',
    });
  });

  it('the root has the same base URL', () => {
    expect(fromGatewayEvent(gatewayEvent())).toMatchObject({
      path: '/',
      baseUrl: 'https://abc123.execute-api.eu-west-1.amazonaws.com/prod',
    });
  });

  it('takes the base path of a custom domain out of the path and puts it into the base URL', () => {
    const event = gatewayEvent({ path: '/message:send' });
    const { requestContext } = event;
    const custom = {
      ...event,
      path: '/v1/message:send',
      requestContext: { ...requestContext, domainName: 'agents.example.com', path: '/v1/message:send' },
    };
    expect(fromGatewayEvent(custom)).toMatchObject({ path: '/message:send', baseUrl: 'https://agents.example.com/v1' });
  });

  it('a resource of its own, without parameters', () => {
    const path = '/.well-known/agent-card.json';
    const event = { ...gatewayEvent({ path }), resource: path, pathParameters: null };
    expect(fromGatewayEvent(event).path).toBe(path);
  });

  it('the address is the gateway’s, not what the caller writes into Host; a given one wins', () => {
    const event = gatewayEvent({ headers: { Host: ['evil.example.com'] } });
    expect(fromGatewayEvent(event).baseUrl).toBe('https://abc123.execute-api.eu-west-1.amazonaws.com/prod');
    expect(fromGatewayEvent(event, 'http://localhost:3000').baseUrl).toBe('http://localhost:3000');
  });

  it('decodes base64 bodies to bytes and survives an event with nothing in it', () => {
    const event = gatewayEvent({ body: Buffer.from('{"a":"ü"}').toString('base64'), isBase64Encoded: true });
    expect(Buffer.from(fromGatewayEvent(event).body as Uint8Array).toString()).toBe('{"a":"ü"}');
    const bare = { ...gatewayEvent(), headers: null, multiValueHeaders: null } as never;
    expect(fromGatewayEvent(bare).headers).toEqual({});
  });
});

describe('toGatewayResult', () => {
  it('is what the proxy integration takes', () => {
    expect(toGatewayResult({ status: 404, headers: { allow: 'GET' }, body: '{}' })).toEqual({
      statusCode: 404,
      headers: { allow: 'GET' },
      body: '{}',
    });
  });
});
