import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { Destination } from '../../../src/destination/destination.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { track } from '../../destination/track.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { seal } from '../../store/seal.js';
import { run, runProcess } from '../command.js';
import { newFolder } from '../files.js';

const linesOf = (out: string): string[] => out.split('\n').filter((line) => line !== '');

test('deliveries reads the folder of a running service, names its destinations, and changes nothing there', async () => {
  const path = await newFolder();
  const endpoint = await startEndpoint(404);
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
  const { out } = await runProcess(['deliveries', 'list', path, '--dead']);
  expect(linesOf(out).map((line) => line.split('  ')[0])).toEqual(['crm', 'mail']);
  expect((await runProcess(['deliveries', 'explain', path, 'gone', '--destination', 'mail'])).out).toMatch(
    /^mail {2}gone {2}track/,
  );
  for (const act of ['replay', 'discard']) {
    expect(
      await runProcess([
        'deliveries',
        act,
        path,
        '--destination',
        'mail',
        '--all',
        ...(act === 'discard' ? ['--yes'] : []),
      ]),
    ).toMatchObject({
      code: 3,
      out: '',
      err: `deliveries: process ${process.pid} on ${hostname()} has the store open; replay and discard through the service's page or HTTP API, or end the process first (EVENTFERRY_STORE_IN_USE)\n`,
    });
  }
  expect((await runProcess(['deliveries', 'list', path, '--destination', 'none'])).err).toBe(
    'deliveries: the store has no destination none; it has crm, mail (EVENTFERRY_CLI_USAGE)\n',
  );
  for (const destination of destinations) await destination.close();
  await storage.close();
  const after = await runProcess(['deliveries', 'replay', path, '--all']);
  expect(after.out).toBe('2 deliveries will be sent again when a destination opens the store\n');
});

test('in a folder with more than 10 destinations, a change must name one or say `all`', async () => {
  const path = await newFolder();
  const storage = await lmdbStorage({ path });
  for (let number = 1; number <= 11; number++) await storage.deliveries(`d${number}`);
  await storage.close();
  const err =
    'deliveries: the store has 11 destinations; give --destination NAME, or --destination all (EVENTFERRY_CLI_USAGE)\n';
  for (const args of [['replay'], ['discard', '--yes'], ['discard', '--dry-run']]) {
    const [act = '', ...more] = args;
    const deliveries = (...named: string[]) => run(['deliveries', act, path, '--all', ...more, ...named]);
    expect(await deliveries()).toMatchObject({ code: 2, out: '', err });
    for (const name of ['all', 'd11']) expect((await deliveries('--destination', name)).code).toBe(0);
  }
  expect((await run(['deliveries', 'list', path])).code).toBe(0);
});

test.each([
  [['list'], 2, "missing required argument 'path'; see eventferry deliveries list --help (EVENTFERRY_CLI_USAGE)"],
  [
    ['replay', 'x'],
    2,
    'no filter; give --message-id, --webhook, --type, --user, --reason, --from or --to, or --all (EVENTFERRY_CLI_USAGE)',
  ],
  [['list', 'no-such-folder'], 3, 'there is no store in no-such-folder (ENOENT)'],
])('deliveries %j is refused in one line', async (args, exitCode, reason) => {
  const { code, out, err } = await run(['deliveries', ...args]);
  expect({ code, out, err }).toEqual({ code: exitCode, out: '', err: `deliveries: ${reason}\n` });
});
