import { expect, test } from 'vitest';
import { loadedBy } from '../support/loaded-by.js';

test('eventferry/middleware imports no Node module and no file of the client', async () => {
  const { files, packages, builtins } = await loadedBy('src/middleware/index.ts');
  const ofClient = files.filter((file) => file.startsWith('src/client/'));
  expect({ ofClient, packages, builtins }).toEqual({ ofClient: [], packages: ['leven'], builtins: [] });
});
