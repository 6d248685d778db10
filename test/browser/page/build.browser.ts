import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../chromium.js';
import { openDebugger } from '../debugger-page.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

test('the content security policy blocks other scripts, frames and requests', async () => {
  const { page } = await openDebugger(browser);
  const expected = ['trusted-types', 'frame-src', 'connect-src', 'style-src-elem'];
  const violations = await page.evaluate(async (expected) => {
    const seen: string[] = [];
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => seen.push(effectiveDirective));
    const script = document.createElement('script');
    try {
      script.text = 'document.title = "run"';
    } catch {
      seen.push('trusted-types');
    }
    document.body.append(Object.assign(document.createElement('iframe'), { src: 'https://example.com' }));
    await fetch('http://127.0.0.1:9/').catch(() => {});
    const style = document.createElement('style');
    style.append('body { display: none }');
    document.head.append(style);
    // Violations are reported later, each at its own time.
    while (!expected.every((name) => seen.includes(name))) await new Promise((resolve) => setTimeout(resolve, 10));
    return seen;
  }, expected);
  expect(violations).toEqual(expect.arrayContaining(expected));
  expect(await page.title()).toBe('eventferry');
});
