import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { TOKEN } from '../service/support.js';
import { start } from './command.js';

type Line = Record<string, unknown>;

/** Returns a configuration with one source and one destination, whose webhook may take as long as the test. */
export const configText = (url: string, fields: object = {}): string =>
  JSON.stringify({
    listen: { port: 0 },
    store: { type: 'lmdb', path: 'data' },
    admin: { token: TOKEN },
    sources: [{ name: 'website', writeKeys: ['dev'], destinations: ['crm'] }],
    destinations: [
      {
        name: 'crm',
        type: 'Webhooks',
        sharedSecret: 'shhh',
        webhooks: [{ url }],
        requestTimeout: 60_000,
        allowLoopback: true,
      },
    ],
    ...fields,
  });

/** Starts `serve` in a separate process, and returns it with its JSON lines once it listens. */
export async function serving(file: string, env: NodeJS.ProcessEnv = {}) {
  const { listening, ...rest } = await startServing(file, env);
  return { ...rest, url: await listening };
}

/** Starts `serve` like `serving`, but does not wait until it listens. */
export async function startServing(file: string, env: NodeJS.ProcessEnv = {}) {
  const { child, ended } = await start(['serve', file, '--json'], env);
  onTestFinished(() => void child.kill('SIGKILL'));
  if (child.stdout === null) throw new Error('It has no output');
  const lines: Line[] = [];
  const waiting: { holds(line: Line): boolean; resolve(line: Line): void }[] = [];
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line: Line = JSON.parse(text);
    lines.push(line);
    for (const { holds, resolve } of waiting) if (holds(line)) resolve(line);
  });
  /** Resolves to the first line, already printed or future, for which the condition holds. */
  const line = (holds: (line: Line) => boolean): Promise<Line> => {
    const found = lines.find(holds);
    return found === undefined ? new Promise((resolve) => waiting.push({ holds, resolve })) : Promise.resolve(found);
  };
  const failed = ended.then(({ err }) => Promise.reject(new Error(err)));
  failed.catch(() => {});
  const listening = Promise.race([line((each) => 'url' in each && 'sources' in each), failed]).then(({ url }) =>
    String(url),
  );
  listening.catch(() => {});
  return { child, ended, lines, line, listening };
}
