import { expect, test } from 'vitest';
import { EventferryError, ValidationError } from '../../src/errors.js';
import { client } from '../support/client.js';
import { sink } from '../support/sink.js';

test('a toJSON that calls track with itself is refused, and nothing of it is accepted', async () => {
  const { url } = await sink();
  const { analytics } = client({ endpoint: url });
  let calls = 0;
  const document = {
    toJSON() {
      calls++;
      analytics.track({ userId: 'u', event: 'e', properties: { document } });
      return {};
    },
  };
  const call = () => analytics.track({ userId: 'u', event: 'e', properties: document });
  expect(call).toThrow(ValidationError);
  expect(call).toThrow(/^track.*calls without end/);
  expect(calls).toBeLessThan(100);
  expect(analytics.stats()).toMatchObject({ accepted: 0, pending: 0 });
});

test('a getter that calls track with itself is refused', async () => {
  const { url } = await sink();
  const { analytics } = client({ endpoint: url });
  let calls = 0;
  const properties = {
    get again(): unknown {
      calls++;
      analytics.track({ userId: 'u', event: 'e', properties });
      return 1;
    },
  };
  expect(() => analytics.track({ userId: 'u', event: 'e', properties })).toThrow(ValidationError);
  expect(calls).toBeLessThan(1_000);
});

test('a toJSON that keeps to itself that its calls are refused ends all the same', async () => {
  const { url, messages } = await sink();
  const { analytics } = client({ endpoint: url });
  const properties: { toJSON(): object } = {
    toJSON() {
      try {
        analytics.track({ userId: 'u', event: 'e', properties });
      } catch (error) {
        expect(error).toBeInstanceOf(EventferryError);
      }
      return {};
    },
  };
  analytics.track({ userId: 'u', event: 'e', properties });
  await analytics.close();
  expect(messages.length).toBeLessThan(10);
});

test('a toJSON may track something else, and after one that is refused calls go on as before', async () => {
  const { url, messages } = await sink();
  const { analytics } = client({ endpoint: url });
  const read = {
    toJSON() {
      analytics.track({ userId: 'u', event: 'Read' });
      return { total: 42 };
    },
  };
  const endless = {
    toJSON() {
      analytics.track({ userId: 'u', event: 'Endless', properties: endless });
      return {};
    },
  };
  for (let time = 0; time < 10; time++) {
    expect(() => analytics.track({ userId: 'u', event: 'Endless', properties: endless })).toThrow(ValidationError);
  }
  analytics.track({ userId: 'u', event: 'Order Completed', properties: read });
  await analytics.close();
  expect(messages.map((message) => message.type === 'track' && message.event)).toEqual(['Read', 'Order Completed']);
});

test('a sparse array is refused at the call with its path, and the next call is taken', async () => {
  const { url, messages } = await sink();
  const { analytics } = client({ endpoint: url });
  const c: number[] = [];
  c[1_556_703_000] = 1;
  expect(() => analytics.track({ userId: 'u', event: 'e', messageId: 'm', properties: { c } })).toThrow(
    expect.objectContaining({ code: 'EVENTFERRY_MESSAGE_TOO_LARGE', messageId: 'm', path: 'track.properties.c' }),
  );
  analytics.track({ userId: 'u', event: 'Next' });
  await analytics.close();
  expect(messages).toMatchObject([{ event: 'Next' }]);
});
