import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Result, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** WCAG 2.2 at level AA, and what axe holds to be good practice. */
const rules: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};

/** What axe finds, as `rule: element`. */
export async function findings(page: Page): Promise<string[]> {
  // Evaluated by the debugger protocol, which the page's policy does not hold.
  await page.evaluate(source);
  const violations = await page.evaluate(async (options) => {
    const { axe } = globalThis as unknown as { axe: { run(options: unknown): Promise<{ violations: Result[] }> } };
    return (await axe.run(options)).violations;
  }, rules);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
  );
}

/** Those states of a page of which axe had something to say. */
export const withFindings = (states: Record<string, string[]>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(states).filter(([, found]) => found.length > 0));

export const sizes = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true },
} as const;
