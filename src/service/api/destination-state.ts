import type { DestinationReport, DestinationState } from './answer-types.js';

/** All states, the worst first. */
export const STATES = [
  'failing',
  'recovering',
  'unsteady',
  'removed',
  'paused',
  'healthy',
  'off',
] as const satisfies DestinationState[];

/** Below this share of successful attempts in the last hour, a destination is no longer healthy. */
const STEADY = 0.95;

type Facts = Pick<DestinationReport, 'enabled' | 'paused' | 'waiting' | 'lastHour'> & {
  readonly endpoints: readonly Pick<DestinationReport['endpoints'][number], 'state' | 'failing'>[];
};

export function stateOf(
  { enabled, paused, endpoints, lastHour, waiting }: Facts,
  isRemoved: boolean,
): DestinationState {
  if (isRemoved) return 'removed';
  if (paused) return 'paused';
  if (!enabled && waiting === 0) return 'off';
  if (endpoints.some(({ state, failing }) => state === 'open' || failing)) return 'failing';
  if (endpoints.some(({ state }) => state === 'half-open')) return 'recovering';
  if (!enabled) return 'off';
  return (lastHour.successRate ?? 1) < STEADY ? 'unsteady' : 'healthy';
}
