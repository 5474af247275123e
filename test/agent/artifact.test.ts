/** Artifacts, whole and in chunks: sent once, under ids that are stable on replay (design 7, R88). */
import { describe, expect, it } from 'vitest';
import type { ArtifactSpec } from '../../agent/artifact.ts';
import type { Turn } from '../../agent/turn.ts';
import { AgentFault } from '../../core/errors.ts';
import { FakeTask } from './fake-host.ts';

async function sent(spec: ArtifactSpec) {
  const task = new FakeTask();
  expect(await task.turn(async (turn) => void (await turn.artifact(spec)))).toEqual({ left: 'returned' });
  return task.chunks;
}

describe('artifact', () => {
  it.each<[string, object, object[]]>([
    ['text', { text: 'hi' }, [{ text: 'hi' }]],
    [
      'text with its type',
      { text: '# hi', mediaType: 'text/markdown', filename: 'a.md' },
      [{ text: '# hi', mediaType: 'text/markdown', filename: 'a.md' }],
    ],
    ['data', { data: { id: 1 } }, [{ data: { id: 1 }, mediaType: 'application/json' }]],
    ['a falsy datum', { data: 0 }, [{ data: 0, mediaType: 'application/json' }]],
    ['bytes', { raw: Buffer.from('hi'), mediaType: 'x/y' }, [{ raw: 'aGk=', mediaType: 'x/y' }]],
    ['base64', { raw: 'aGk=', mediaType: 'x/y' }, [{ raw: 'aGk=', mediaType: 'x/y' }]],
    ['a url', { url: 'https://example.com/a' }, [{ url: 'https://example.com/a' }]],
    ['parts', { parts: [{ text: 'a' }, { data: [] }] }, [{ text: 'a' }, { data: [] }]],
  ])('of %s', async (_what, content, parts) => {
    expect(await sent({ name: 'out', ...content } as ArtifactSpec)).toEqual([
      {
        call: 1,
        name: 'out',
        artifact: { artifactId: 'artifact-1', name: 'out', parts },
        append: false,
        lastChunk: true,
      },
    ]);
  });

  it('carries what its author says of it', async () => {
    const [chunk] = await sent({ name: 'out', text: 'x', artifactId: 'mine', description: 'D', metadata: { a: 1 } });
    expect(chunk?.artifact).toEqual({
      artifactId: 'mine',
      name: 'out',
      description: 'D',
      parts: [{ text: 'x' }],
      metadata: { a: 1 },
    });
  });

  it.each<[string, object, string]>([
    ['nothing', {}, 'artifact "out": give one of text, data, raw, url, parts, not none'],
    [
      'two contents',
      { text: 'x', data: 1 },
      'artifact "out": give one of text, data, raw, url, parts, not text and data',
    ],
    ['no parts', { parts: [] }, 'artifact "out": parts is a list of at least one part'],
    ['bytes without a type', { raw: 'aGk=' }, 'artifact "out": raw needs a mediaType'],
    ['an unknown option', { text: 'x', mimeType: 'text/plain' }, 'artifact "out": "mimeType" is not an option'],
    ['null', { data: null }, 'artifact "out": data is null'],
    [
      'an append to nothing',
      { text: 'x', append: true },
      'artifact "out": nothing to append to, no earlier call began it',
    ],
  ])('of %s is an error that says so', async (_what, content, message) => {
    const task = new FakeTask();
    const left = await task.turn(async (turn) => {
      await turn.artifact({ name: 'out', ...content } as ArtifactSpec);
    });
    expect(left).toEqual({ left: 'threw', error: new AgentFault('BAD_CALL', message) });
    expect(task.chunks).toEqual([]);
  });

  it('of data that is not JSON names the path', async () => {
    const left = await new FakeTask().turn(async (turn) => {
      await turn.artifact({ name: 'out', data: { when: new Date(0) } });
    });
    expect(left).toMatchObject({
      error: {
        reason: 'NOT_JSON',
        message: 'not JSON: the data of artifact "out": $.when is a Date, not a plain object',
      },
    });
  });

  it('is not sent again on replay, and has the same id', async () => {
    const task = new FakeTask();
    const ids: string[] = [];
    const code = async (turn: Turn) => {
      await turn.step('before', () => 1);
      ids.push((await turn.artifact({ name: 'a', text: 'A' })).artifactId);
      await turn.ask('q', { text: 'Q?' });
      ids.push((await turn.artifact({ name: 'b', text: 'B' })).artifactId);
    };
    await task.turn(code);
    task.answer({ text: 'x' });
    await task.turn(code);
    expect(ids).toEqual(['artifact-2', 'artifact-2', 'artifact-4']);
    expect(task.chunks.map(({ name, artifact }) => [name, artifact.artifactId])).toEqual([
      ['a', 'artifact-2'],
      ['b', 'artifact-4'],
    ]);
  });
});

describe('chunks', () => {
  it('of one name go to one artifact, also when the first was sent by an earlier turn', async () => {
    const task = new FakeTask();
    const code = async (turn: Turn) => {
      await turn.artifact({ name: 'log', text: '1', lastChunk: false });
      await turn.ask('q', { text: 'Q?' });
      await turn.artifact({ name: 'log', text: '2', append: true });
      await turn.artifact({ name: 'log', text: '3', append: true, lastChunk: true });
    };
    await task.turn(code);
    task.answer({ text: 'x' });
    await task.turn(code);
    expect(
      task.chunks.map(({ artifact, append, lastChunk }) => [
        artifact.artifactId,
        artifact.parts[0]?.text,
        append,
        lastChunk,
      ]),
    ).toEqual([
      ['artifact-1', '1', false, false],
      ['artifact-1', '2', true, false],
      ['artifact-1', '3', true, true],
    ]);
  });

  it('of a stream: the last one is marked, whatever was written', async () => {
    const task = new FakeTask();
    await task.turn(async (turn) => {
      const one = turn.artifactStream('one', { description: 'D' });
      const two = turn.artifactStream('one');
      await one.write('a');
      await two.write('x');
      await one.write({ data: 1 });
      await two.end('y');
      expect(await one.end()).toEqual({ artifactId: 'artifact-1' });
    });
    expect(
      task.chunks.map(({ artifact: { artifactId, parts, description }, append, lastChunk }) => ({
        artifactId,
        part: parts[0],
        description,
        append,
        lastChunk,
      })),
    ).toEqual([
      { artifactId: 'artifact-1', part: { text: 'a' }, description: 'D', append: false, lastChunk: false },
      { artifactId: 'artifact-2', part: { text: 'x' }, description: undefined, append: false, lastChunk: false },
      { artifactId: 'artifact-2', part: { text: 'y' }, description: undefined, append: true, lastChunk: true },
      {
        artifactId: 'artifact-1',
        part: { data: 1, mediaType: 'application/json' },
        description: 'D',
        append: true,
        lastChunk: true,
      },
    ]);
  });

  it.each<[string, (turn: Turn) => Promise<unknown>, string]>([
    [
      'never ended',
      (turn) => turn.artifactStream('s').write('a'),
      'the code returned before artifact stream "s" was ended',
    ],
    ['ended empty', (turn) => turn.artifactStream('s').end(), 'artifact "s": nothing was written'],
    [
      'written after its end',
      async (turn) => {
        const stream = turn.artifactStream('s');
        await stream.end('a');
        await stream.write('b');
      },
      'artifact "s": write after end',
    ],
  ])('of a stream %s are an error that says so', async (_what, code, message) => {
    const left = await new FakeTask().turn(async (turn) => void (await code(turn)));
    expect(left).toEqual({ left: 'threw', error: new AgentFault('BAD_CALL', message) });
  });
});
