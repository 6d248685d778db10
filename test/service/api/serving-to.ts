import { expect } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { type Reaction, startEndpoint } from '../../scheduler/test-endpoint.js';
import { configOf, destinationOf, serving } from '../support.js';

/** Starts a service with one destination, whose endpoint reacts in the given ways. */
export async function servingTo(
  reactions: [Reaction, ...Reaction[]],
  fields: Parameters<typeof destinationOf>[1] = {},
  config: Parameters<typeof configOf>[0] = {},
) {
  const crm = await startEndpoint(...reactions);
  const storage = memoryStorage();
  const served = await serving(configOf({ ...config, destinations: [destinationOf(crm.url, fields)] }), { storage });
  const list = async (query = '') => (await served.ask(`/v1/deliveries${query}`)).body;
  const attempted = (count: number) =>
    expect.poll(() => served.service.destinations()[0]?.destination.counters().attempts).toBe(count);
  return { ...served, crm, storage, list, attempted };
}
