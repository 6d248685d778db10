import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { servicePage } from '../../../src/dashboard/server/page-response.js';

test('page of the service is the built page but for the name of its server', async () => {
  const html = await readFile('src/dashboard/page/index.html', 'utf8');
  expect(html).toContain('<html lang="en" data-server="dev">');
  expect(servicePage(html)).toBe(html.replace('"dev"', '"service"'));
});
