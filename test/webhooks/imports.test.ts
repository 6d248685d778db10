import { expect, test } from 'vitest';
import { loadedBy } from '../support/loaded-by.js';

test.each(['src/webhooks/index.ts', 'src/webhooks/testing/index.ts'])(
  'the entry %s loads only `node:crypto` and what the build bundles',
  async (entry) => {
    const { packages, builtins } = await loadedBy(entry);
    expect({ packages, builtins }).toEqual({ packages: ['leven'], builtins: ['node:crypto'] });
  },
);

test('the webhooks entry loads nothing of the client, the sender or the collector', async () => {
  const { files } = await loadedBy('src/webhooks/index.ts');
  const stages = new Set(files.map((file) => file.split('/').slice(1, -1)[0] ?? file));
  expect([...stages].sort()).toEqual(['base', 'protocol', 'signature', 'webhooks']);
});
