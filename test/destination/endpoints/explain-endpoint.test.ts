import { describe, expect, test } from 'vitest';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { withLetters } from '../letters.js';
import { next, openDestination } from '../open.js';
import { track } from '../track.js';

describe('explain', () => {
  test('explain after close() throws a DestinationClosedError and not the error of its store', async () => {
    const endpoint = await startEndpoint(200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    await destination.close();
    await expect(destination.explain('m1')).rejects.toMatchObject({ code: 'EVENTFERRY_DESTINATION_CLOSED' });
  });

  test.each([undefined, 5, []])('explain refuses %j as an id', async (id) => {
    const { destination } = await openDestination({ webhooks: [{ url: 'https://example.com/' }] });
    const refused = { code: 'EVENTFERRY_DESTINATION_INVALID_OPTION', option: 'id', expected: 'a string' };
    await expect(destination.explain(id as never)).rejects.toMatchObject(refused);
  });

  test('explain reports the rule for the last answer, and when the next attempt is due', async () => {
    const endpoint = await startEndpoint(503);
    const { destination, clock } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const made = next(destination, 'attempt');
    await destination.deliver(track('m1'));
    await made;
    expect(await destination.explain('m1')).toEqual({
      id: 'm1',
      type: 'track',
      acceptedAt: clock.now(),
      settle: 'any',
      endpoints: [
        {
          url: endpoint.url,
          phase: 'retrying',
          attempts: [{ at: clock.now(), durationMs: 0, result: 'server-error', status: 503 }],
          rule: 'a 5xx status means that the endpoint fails for now, so it is tried again',
          failing: false,
          nextAttemptAt: clock.now() + 5_000,
          triedUntil: clock.now() + 14_400_000,
          why: 'its next attempt is not due yet',
        },
      ],
    });
  });

  test('explain reports that a request is running', async () => {
    const endpoint = await startEndpoint(() => {});
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    await destination.deliver(track('m1'));
    expect((await destination.explain('m1'))?.endpoints[0]).toMatchObject({
      phase: 'in flight',
      rule: undefined,
      why: 'a request is in flight',
    });
  });

  test('explain reports that a delivery waits for its turn', async () => {
    const endpoint = await startEndpoint(() => {});
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }], concurrency: 1 });
    for (const id of ['m1', 'm2']) await destination.deliver(track(id));
    expect((await destination.explain('m2'))?.endpoints[0]).toMatchObject({
      phase: 'pending',
      why: expect.stringContaining('its turn has not come'),
    });
  });

  test('explain reports that the circuit breaker of the endpoint is open, and until when', async () => {
    const endpoint = await startEndpoint(500);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }], concurrency: 1 });
    const opened = next(destination, 'breaker');
    for (let count = 0; count < 12; count++) await destination.deliver(track(`m${count}`));
    await destination.deliver(track('the last'));
    const { state, openUntil } = await opened;
    expect(state).toBe('open');
    expect(destination.endpoints()).toMatchObject([{ state: 'open', openUntil }]);
    expect((await destination.explain('the last'))?.endpoints[0]).toMatchObject({
      phase: 'pending',
      nextAttemptAt: openUntil,
      why: 'the circuit breaker of the endpoint is open, as it failed many times in a row',
    });
  });

  test('explain reports why an event is dead', async () => {
    const { destination } = await withLetters();
    expect((await destination.explain('m1'))?.endpoints[0]).toMatchObject({
      phase: 'dead',
      nextAttemptAt: undefined,
      why: 'another attempt would not change the last result',
    });
  });

  test('explain returns undefined for an event that was delivered or never accepted', async () => {
    const endpoint = await startEndpoint(200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    await destination.deliver(track('m1'));
    await destination.idle();
    expect(await destination.explain('m1')).toBeUndefined();
    expect(await destination.explain('none')).toBeUndefined();
  });
});
