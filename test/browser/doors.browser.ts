import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { serve } from '../support/loopback.js';
import { launchChromium } from './chromium.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

/** A program for each entry point, and the title that it sets on its page. */
const PROGRAMS: Record<string, readonly [program: string, title: string]> = {
  fetch: [
    "import { Analytics } from './dist/fetch.js'; document.title = typeof Analytics.prototype.track;",
    'function',
  ],
  events: [
    "import { defineEvents } from './dist/events.js'; document.title = typeof defineEvents({ 'Signed Up': {} }).check;",
    'function',
  ],
  middleware: [
    `import { withRun } from './dist/middleware.js';
     const client = { run: (fields, act) => { document.title = fields.context.userAgent ?? 'none'; return act(); } };
     withRun(client, () => new Response('ok'), { userAgent: true })(new Request('/'));`,
    'none',
  ],
};

test.each(Object.entries(PROGRAMS))(
  'a page that imports %s is bundled without a warning, and runs',
  async (_, [program, title]) => {
    const { outputFiles, warnings } = await build({
      stdin: { contents: program, resolveDir: root },
      bundle: true,
      format: 'esm',
      platform: 'browser',
      write: false,
      logLevel: 'silent',
    });
    expect(warnings).toEqual([]);
    const website = await serve((request, response) => {
      const isScript = request.url === '/app.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? outputFiles[0]?.text : '<!doctype html><script type="module" src="/app.js"></script>');
    });
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await page.goto(website);
    await expect.poll(() => page.title()).toBe(title);
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
  },
);
