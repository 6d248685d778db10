import { expect, test } from 'vitest';
import { loadedBy } from '../support/loaded-by.js';

test('the events door loads no module of Node, and only what compares names from other packages', async () => {
  const { packages, builtins } = await loadedBy('src/events/index.ts');
  expect({ packages, builtins }).toEqual({ packages: ['leven'], builtins: [] });
});

test('the events door loads nothing of the client', async () => {
  const { files } = await loadedBy('src/events/index.ts');
  expect(files.filter((file) => file.startsWith('src/client/'))).toEqual([]);
});
