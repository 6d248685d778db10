import type { Target } from './pages.js';

export function atLeast(what: string, limit: number, value: number, unit?: string): Target;
export function atMost(what: string, limit: number, value: number, unit?: string): Target;
export function measureMissedAgain<Result extends { name: string; targets: readonly Target[] }>(
  results: readonly Result[],
  measure: (name: string) => Promise<Result>,
  times: number,
): Promise<Result[]>;
