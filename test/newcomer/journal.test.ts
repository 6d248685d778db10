import { expect, test } from 'vitest';
import { sink } from '../support/sink.js';
import { freshFolder } from './fresh-folder.js';

const IMPORTS = {
  'app.mjs': "import { Analytics } from 'eventferry';",
  'app.cjs': "const { Analytics } = require('eventferry');",
};

test.each(Object.entries(IMPORTS))(
  'the client in %s with a journal keeps messages that a crash would lose, and the next run sends them',
  async (file, importing) => {
    const { url, messages } = await sink();
    const folder = await freshFolder({
      [file]: `
      ${importing}
      const analytics = new Analytics({ writeKey: 'dev', endpoint: process.env.ENDPOINT, journal: './events', flushAt: 1 });
      if (process.env.CRASH) {
        analytics.track({ userId: 'u1', event: 'Order Completed' });
        process.exit(1);
      }
      analytics.close().then(({ recovered, delivered }) => console.log(recovered, delivered));
    `,
    });
    const down = 'http://127.0.0.1:9';
    expect(await folder.node([file], { ENDPOINT: down, CRASH: '1' }).ended).toMatchObject({ code: 1, stderr: '' });
    const next = await folder.node([file], { ENDPOINT: url }).ended;
    expect(next).toMatchObject({ code: 0, stdout: '1 1\n', stderr: '' });
    expect(messages).toEqual([expect.objectContaining({ event: 'Order Completed' })]);
  },
);

test('workers of a cluster share one journal: each sends its own messages, and one takes over the messages of a crashed worker', async () => {
  const { url, messages } = await sink();
  const folder = await freshFolder({
    'app.mjs': `
      import cluster from 'node:cluster';
      import { once } from 'node:events';
      import { Analytics } from 'eventferry';
      const open = (endpoint) => new Analytics({ writeKey: 'dev', endpoint, journal: './events' });
      if (cluster.isPrimary) {
        const crashing = cluster.fork({ KIND: 'crash' });
        const [code] = await once(crashing, 'exit');
        const workers = [1, 2].map(() => cluster.fork({ KIND: 'work' }));
        await Promise.all(workers.map((worker) => once(worker, 'exit')));
        console.log(code);
      } else if (process.env.KIND === 'crash') {
        await open('http://127.0.0.1:9').track({ userId: 'u', event: 'Left' }).stored;
        process.exit(3);
      } else {
        const analytics = open(process.env.ENDPOINT);
        analytics.track({ userId: 'u', event: 'Own' });
        await analytics.close();
        process.exit();
      }
    `,
  });
  const { code, stdout, stderr } = await folder.node(['app.mjs'], { ENDPOINT: url }).ended;
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '3\n', stderr: '' });
  const events = messages.map((message) => (message as { event?: string }).event);
  expect(events.sort()).toEqual(['Left', 'Own', 'Own']);
});
