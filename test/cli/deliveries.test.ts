import { describe, expect, test } from 'vitest';
import { Destination } from '../../src/destination/destination.js';
import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';
import { lmdbStore } from '../../src/store/lmdb/lmdb-store.js';
import { seal } from '../../src/store/store.js';
import { track } from '../destination/track.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { run } from './command.js';
import { newFolder } from './files.js';

/** A store with one dead letter, `gone`, and one delivery that waits, `busy`. */
async function newStore(query = '') {
  const path = await newFolder();
  const endpoint = await startEndpoint(404, { status: 503, headers: { 'retry-after': '3600' } }, 200);
  const open = async (): Promise<Destination> =>
    Destination.open({
      webhooks: [{ url: `${endpoint.url}${query}` }],
      allowLoopback: true,
      store: await lmdbStore({ path }),
    });
  const destination = await open();
  for (const id of ['gone', 'busy']) {
    const attempted = new Promise((resolve) => destination.on('attempt', resolve));
    await destination.deliver(track(id));
    await attempted;
  }
  await destination.close();
  return { path, open, endpoint };
}

const linesOf = (out: string): string[] => out.split('\n').filter((line) => line !== '');

describe('deliveries', () => {
  test('deliveries list prints and counts dead letters and waiting deliveries', async () => {
    const { path, endpoint } = await newStore();
    const { code, out, err } = await run(['deliveries', 'list', '--store', path]);
    expect({ code, err }).toEqual({ code: 0, err: '1 dead, 1 waiting\n' });
    const [dead, waiting] = linesOf(out);
    expect(dead).toMatch(/^dead +\d{4}-\S+Z {2}gone {2}track {2}/);
    expect(dead).toContain(`${endpoint.url}  permanent, 404 rejected`);
    expect(waiting).toMatch(/^waiting +\S+Z {2}busy .* tried 1 ×, 503 server-error$/);
  });

  test('deliveries list takes --dead, --waiting and --webhook', async () => {
    const { path } = await newStore();
    const idsOf = async (...args: string[]): Promise<string[]> =>
      linesOf((await run(['deliveries', 'list', '--store', path, '--json', ...args])).out).map(
        (line) => JSON.parse(line).id,
      );
    expect(await idsOf('--dead')).toEqual(['gone']);
    expect(await idsOf('--waiting')).toEqual(['busy']);
    expect(await idsOf('--webhook', 'http://another.example')).toEqual([]);
  });

  test('deliveries masks secrets in the URL of a webhook', async () => {
    const { path } = await newStore('?token=hunter2');
    for (const command of [['list'], ['list', '--json'], ['explain', 'gone'], ['explain', 'gone', '--json']]) {
      const { out } = await run(['deliveries', ...command, '--store', path]);
      expect(out).toContain('?token=***');
      expect(out).not.toContain('hunter2');
    }
  });

  test('deliveries explain gives the reason, and refuses an unknown event', async () => {
    const { path } = await newStore();
    const { out } = await run(['deliveries', 'explain', 'gone', '--store', path]);
    expect(out).toContain('dead: the last answer is one that another attempt would not change');
    expect(out).toContain('404 rejected');
    const unknown = await run(['deliveries', 'explain', 'none', '--store', path]);
    expect(unknown).toMatchObject({ code: 1, out: '' });
    expect(unknown.err).toBe(
      'deliveries: the store has no event none: it was delivered and forgotten, or never arrived\n',
    );
  });

  test('deliveries replay marks letters that the next destination delivers', async () => {
    const { path, open, endpoint } = await newStore();
    const { code, out } = await run(['deliveries', 'replay', '--store', path, '--message-id', 'gone']);
    expect({ code, out }).toEqual({
      code: 0,
      out: '1 delivery will be sent again when a destination opens the store\n',
    });
    expect(endpoint.received).toHaveLength(2);
    const destination = await open();
    await endpoint.has(3);
    await destination.close();
    expect(endpoint.received[2]?.body).toEqual(endpoint.received[0]?.body);
    expect((await run(['deliveries', 'list', '--store', path, '--dead'])).out).toBe('');
  });

  test('deliveries replay needs --send-to for the letters of a removed webhook', async () => {
    const path = await newFolder();
    const [removed, first, second] = [await startEndpoint(404), await startEndpoint(200), await startEndpoint(200)];
    const open = async (...webhooks: { url: string; id?: string }[]): Promise<Destination> =>
      Destination.open({ webhooks, settle: 'each', allowLoopback: true, store: await lmdbStore({ path }) });
    const before = await open({ url: removed.url, id: 'removed' });
    const dead = new Promise((resolve) => before.on('dead', resolve));
    await before.deliver(track('gone'));
    await dead;
    await before.close();
    await (await open({ url: first.url, id: 'first' }, { url: second.url })).close();
    const replay = (...args: string[]) => run(['deliveries', 'replay', '--store', path, '--all', ...args]);
    expect((await replay()).err).toBe(
      `deliveries: No delivery begins anew. The dead letters of ${removed.url} stay, as no such webhook is configured any ` +
        `more. Say with --send-to which webhook gets them: first, ${second.url}\n`,
    );
    expect((await replay('--send-to', 'removed')).err).toContain('Expected --send-to to be the id or the URL');
    expect((await replay('--send-to', 'first')).out).toBe(
      '1 delivery will be sent again when a destination opens the store\n',
    );
    const after = await open({ url: second.url }, { url: first.url, id: 'first' });
    await after.idle();
    await after.close();
    expect([first.received.length, second.received.length]).toEqual([1, 0]);
  });

  test('deliveries discard removes the letters of its filter', async () => {
    const { path } = await newStore();
    const discard = (...args: string[]) => run(['deliveries', 'discard', '--store', path, ...args]);
    expect((await discard('--reason', 'window-over')).out).toBe('0 deliveries discarded\n');
    expect((await discard('--all', '--rate', '10', '--json')).out).toBe('{"discarded":1}\n');
    expect((await run(['deliveries', 'list', '--store', path, '--dead'])).out).toBe('');
    expect((await discard('--all', '--after', '!')).err).toContain('Expected `after` to be the `cursor`');
  });

  test('deliveries names the destinations in the folder of a running service, and replay sends at once', async () => {
    const path = await newFolder();
    const endpoint = await startEndpoint(404, 404, 200);
    const storage = await lmdbStorage({ path });
    const opened = ['crm', 'mail'].map(async (name) => {
      const store = await storage.deliveries(name);
      return Destination.open({ webhooks: [{ url: endpoint.url }], allowLoopback: true, store: seal(store) });
    });
    const destinations = await Promise.all(opened);
    for (const destination of destinations) {
      const dead = new Promise((resolve) => destination.on('dead', resolve));
      await destination.deliver(track('gone'));
      await dead;
    }
    const { out } = await run(['deliveries', 'list', '--store', path, '--dead']);
    expect(linesOf(out).map((line) => line.split('  ')[0])).toEqual(['crm', 'mail']);
    expect((await run(['deliveries', 'explain', 'gone', '--store', path, '--destination', 'mail'])).out).toMatch(
      /^mail {2}gone {2}track/,
    );
    expect(await run(['deliveries', 'replay', '--store', path, '--destination', 'mail', '--all'])).toMatchObject({
      code: 0,
      out: '1 delivery will be sent again now\n',
    });
    await endpoint.has(3);
    expect((await run(['deliveries', 'list', '--store', path, '--destination', 'none'])).err).toBe(
      'deliveries: the store has no destination none; it has crm, mail\n',
    );
    for (const destination of destinations) await destination.close();
    await storage.close();
    const after = await run(['deliveries', 'replay', '--store', path, '--all']);
    expect(after.out).toBe('1 delivery will be sent again when a destination opens the store\n');
  });

  test.each([
    [['list'], 'no store; give --store FOLDER'],
    [['replay', '--store', 'x'], 'no filter; give --message-id, --webhook, --type, --reason, --from or --to, or --all'],
    [['list', '--store', 'no-such-folder'], 'there is no store in no-such-folder'],
  ])('deliveries %j is refused in one line', async (args, reason) => {
    const { code, out, err } = await run(['deliveries', ...args]);
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: `deliveries: ${reason}\n` });
  });
});
