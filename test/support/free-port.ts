/**
 * A port that stays free until a test's server takes it, and between two starts of that server. Those that the system
 * gives to whoever asks for any are above 32,767, so none of them: a connection of another test could have it by then.
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const [LOWEST, HIGHEST] = [20_000, 32_000] as const;

/** @throws Error when twenty ports in a row are taken */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < 20; tried++) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
