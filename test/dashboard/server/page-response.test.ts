import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { servicePage } from '../../../src/dashboard/server/page-response.js';

test('the page of the service differs from the built page only in the name of its server', async () => {
  const html = await readFile('src/dashboard/page/index.html', 'utf8');
  expect(html).toContain('<html lang="en" data-server="dev">');
  expect(servicePage(html)).toBe(html.replace('"dev"', '"service"'));
});
