/** The page as it is served: fixed bytes under a strict policy, and reading it, or anything, answers nothing. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { apiHandler } from '../../functions/api.ts';
import { inboxResponse } from '../../functions/inbox.ts';
import { INBOX_HTML } from '../../functions/inbox-page.ts';
import { inboxPageModule } from '../../scripts/build-inbox.ts';
import { root, tool } from '../../scripts/run.ts';
import { ALICE, system } from '../functions/api-over-fakes.ts';
import { gatewayEvent, lambdaContext } from '../functions/events.ts';

const page = inboxResponse({ method: 'GET', path: '/inbox' });
const policy = Object.fromEntries(
  (page?.headers['content-security-policy'] ?? '').split('; ').map((rule) => {
    const [name = '', ...values] = rule.split(' ');
    return [name, values.join(' ')];
  }),
);
const sources = readdirSync(join(root, 'inbox')).map((name) => [name, readFileSync(join(root, 'inbox', name), 'utf8')]);

describe('the page', () => {
  it('is what inbox/ says: after a change there, npm run inbox', () => {
    expect(readFileSync(join(root, 'functions', 'inbox-page.ts'), 'utf8')).toBe(inboxPageModule());
  });

  it('its program passes the compiler with the DOM’s types', { timeout: 60_000 }, () => {
    const { status, stdout } = spawnSync(process.execPath, [tool('typescript/bin/tsc'), '-p', 'inbox', '--noEmit'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([0, '']);
  });

  it('allows its own script and style by their hashes, its own origin, and nothing else', () => {
    const hash = (element: string) => {
      const [, content = ''] = new RegExp(`<${element}[^>]*>([\\s\\S]*?)</${element}>`).exec(INBOX_HTML) ?? [];
      return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
    };
    expect(policy).toEqual({
      'default-src': "'none'",
      'script-src': hash('script'),
      'style-src': hash('style'),
      'connect-src': "'self'",
      'img-src': 'data:',
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': "'none'",
    });
    expect(INBOX_HTML.match(/<(script|style)\b/g)).toEqual(['<style', '<script']);
  });

  it('names no other address and carries nothing inline that the policy would refuse', () => {
    expect(INBOX_HTML).not.toMatch(/<[^>]+\s(style|on\w+)=/);
    expect(INBOX_HTML.match(/(src|href|action)="[^"]*"/g)).toEqual(['href="data:,"', 'href="#main"']);
    expect(page?.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
  });

  it.each(sources)('%s makes no markup of text and no code of text', (_name, source) => {
    expect(source).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function/,
    );
  });
});

describe('what serves it', () => {
  const call = async (method: string, path: string, inbox: boolean, query = {}) => {
    const asking = system();
    const handler = apiHandler(asking.deps, inbox ? { inbox: inboxResponse } : {});
    const event = gatewayEvent({ method, path, authorizer: ALICE });
    return handler({ ...event, multiValueQueryStringParameters: query }, lambdaContext());
  };

  it('serves it to everybody where that is wanted, and has nothing there otherwise', async () => {
    expect(await call('GET', '/inbox', true)).toMatchObject({ statusCode: 200, body: INBOX_HTML });
    expect(await call('GET', '/inbox/', true)).toMatchObject({ statusCode: 200, body: INBOX_HTML });
    expect(await call('HEAD', '/inbox', true)).toMatchObject({ statusCode: 200, body: '' });
    expect(await call('GET', '/inbox', false)).toMatchObject({ statusCode: 404 });
    expect(await call('GET', '/inbox/x', true)).toMatchObject({ statusCode: 404 });
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('refuses %s', async (method) => {
    expect(await call(method, '/inbox', true)).toMatchObject({ statusCode: 405, headers: { allow: 'GET, HEAD' } });
  });

  it.each(['GET', 'HEAD', 'OPTIONS'])(
    'no %s answers, declines or cancels anything, whatever it says',
    async (method) => {
      const asking = system();
      const { task } = await asking.send({});
      await asking.deliver();
      const id = task?.id ?? '';
      const before = await asking.call('GET', `/tasks/${id}`);
      expect(before.task?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      const question = JSON.stringify({ questionId: before.task?.status.message?.messageId, costCentre: 'CC-4410' });
      const message = { messageId: 'm-2', role: 'ROLE_USER', taskId: id, parts: [{ data: JSON.parse(question) }] };
      const handler = apiHandler(asking.deps, { inbox: inboxResponse });
      const query = { message: [JSON.stringify(message)], answer: [question], taskId: [id], method: ['CancelTask'] };
      const bodies = [
        null,
        JSON.stringify({ message }),
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
      ];
      for (const path of [
        '/',
        '/inbox',
        `/inbox/task/${id}`,
        '/message:send',
        '/message:stream',
        `/tasks/${id}`,
        `/tasks/${id}:cancel`,
        '/tasks',
      ]) {
        for (const body of bodies) {
          const event = gatewayEvent({ method, path, body, authorizer: ALICE });
          await handler({ ...event, multiValueQueryStringParameters: query }, lambdaContext());
        }
      }
      expect(await asking.call('GET', `/tasks/${id}`)).toEqual(before);
    },
  );
});
