import { expect, test } from 'vitest';
import { loadedBy } from '../support/loaded-by.js';

test('eventferry/events imports no Node module, and only one other package, which compares names', async () => {
  const { packages, builtins } = await loadedBy('src/events/index.ts');
  expect({ packages, builtins }).toEqual({ packages: ['leven'], builtins: [] });
});

test('eventferry/events imports no file of the client', async () => {
  const { files } = await loadedBy('src/events/index.ts');
  expect(files.filter((file) => file.startsWith('src/client/'))).toEqual([]);
});
