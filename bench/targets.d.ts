import type { Target } from './pages.js';

export function atLeast(what: string, limit: number, value: number, unit?: string): Target;
export function atMost(what: string, limit: number, value: number, unit?: string): Target;
export function measureAgain<Result extends { targets: readonly Target[] }>(
  measure: () => Promise<Result>,
  tries: number,
  onMissed: () => void,
): Promise<Result>;
