import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Result, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** WCAG 2.2 at level AA, and the best practices of axe. */
const rules: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};

/** Returns the problems that axe finds, as `rule: element`. */
export async function findings(page: Page): Promise<string[]> {
  // The debugger protocol evaluates it, which the page's policy does not prevent.
  await page.evaluate(source);
  const violations = await page.evaluate(async (options) => {
    const { axe } = globalThis as unknown as { axe: { run(options: unknown): Promise<{ violations: Result[] }> } };
    return (await axe.run(options)).violations;
  }, rules);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
  );
}

/** Returns the states of a page in which axe found problems. */
export const withFindings = (states: Record<string, string[]>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(states).filter(([, found]) => found.length > 0));

export const sizes = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true },
} as const;
