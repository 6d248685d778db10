import { expect, test } from 'vitest';
import { run } from '../command.js';
import { newStore } from './new-store.js';

const linesOf = (out: string): string[] => out.split('\n').filter((line) => line !== '');

test('deliveries list prints and counts dead letters and waiting deliveries', async () => {
  const { path, endpoint } = await newStore();
  const { code, out, err } = await run(['deliveries', 'list', path]);
  expect({ code, err }).toEqual({ code: 0, err: '1 dead, 1 waiting\n' });
  const [dead, waiting] = linesOf(out);
  expect(dead).toMatch(/^dead +\d{4}-\S+Z {2}gone {2}track {2}/);
  expect(dead).toContain(`${endpoint.url}  permanent, 404 rejected`);
  expect(waiting).toMatch(/^waiting +\S+Z {2}busy .* tried 1 ×, 503 server-error$/);
});

test('deliveries list takes --dead, --waiting and --webhook', async () => {
  const { path } = await newStore();
  const idsOf = async (...args: string[]): Promise<string[]> =>
    linesOf((await run(['deliveries', 'list', path, '--json', ...args])).out).map((line) => JSON.parse(line).id);
  expect(await idsOf('--dead')).toEqual(['gone']);
  expect(await idsOf('--waiting')).toEqual(['busy']);
  expect(await idsOf('--webhook', 'http://another.example')).toEqual([]);
});

test('deliveries masks secrets in the URL of a webhook', async () => {
  const { path } = await newStore('?token=hunter2');
  for (const command of [
    ['list', path],
    ['list', path, '--json'],
    ['explain', path, 'gone'],
    ['explain', path, 'gone', '--json'],
  ]) {
    const { out } = await run(['deliveries', ...command]);
    expect(out).toContain('?token=***');
    expect(out).not.toContain('hunter2');
  }
});

test('deliveries explain gives the reason, and refuses an unknown event', async () => {
  const { path } = await newStore();
  const { out } = await run(['deliveries', 'explain', path, 'gone']);
  expect(out).toContain('dead: another attempt would not change the last result');
  expect(out).toContain('404 rejected');
  const unknown = await run(['deliveries', 'explain', path, 'none']);
  expect(unknown).toMatchObject({ code: 1, out: '' });
  expect(unknown.err).toBe(
    'deliveries: the store has no event none: it was delivered and forgotten, or never arrived (EVENTFERRY_CLI_FAILED)\n',
  );
});
