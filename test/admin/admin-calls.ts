import type { AdminClient } from '../../src/admin/admin-client.js';

const NAMED = ['a'] as const;

/** The arguments of each call that come before its options. This table does not compile until a new method of the client has an entry. */
export const ADMIN_CALLS: Readonly<Record<keyof AdminClient, readonly unknown[]>> = {
  status: [],
  changes: [],
  sources: [],
  sourceCounts: NAMED,
  sourceHistory: NAMED,
  rejections: NAMED,
  violations: NAMED,
  destinations: [],
  destination: NAMED,
  destinationHistory: NAMED,
  destinationErrors: NAMED,
  testDestination: NAMED,
  setPaused: ['a', true],
  setEnabled: ['a', true],
  deliveries: [],
  countDeadLetters: [],
  delivery: NAMED,
  replay: [],
  discard: [],
  job: NAMED,
  jobs: [],
  stopJob: NAMED,
  requestDeletion: [['u1']],
  previewDeletion: [['u1']],
  deletion: NAMED,
  deletions: [],
  audience: NAMED,
  audiences: [],
  syncAudience: ['a', ['u1']],
  changeAudience: ['a', { join: ['u1'] }],
  deleteAudience: NAMED,
  trait: NAMED,
  traits: [],
  syncTrait: ['a', [{ userId: 'u1', value: 1 }]],
  changeTrait: ['a', { remove: ['u1'] }],
  deleteTrait: NAMED,
};

/** Calls a method with arguments whose types are known only when the test runs. Of a list in pages, it asks for the first item. */
export async function callAdmin(admin: AdminClient, name: string, ...given: readonly unknown[]): Promise<unknown> {
  const call = admin[name as keyof AdminClient] as (...args: unknown[]) => unknown;
  const made = call.apply(admin, [...given]);
  return typeof made === 'object' && made !== null && 'next' in made ? (made as AsyncGenerator).next() : made;
}
