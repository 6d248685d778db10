import { expect, test } from 'vitest';
import { listening, post, send, track } from './support.js';

test('the metrics count requests and messages by their outcomes', async () => {
  const { url } = await listening();
  await post(url, { batch: [track({ messageId: 'a' }), track({ messageId: 'a' }), {}] });
  await post(url, '{');
  const reply = await send(url, '/metrics', { method: 'GET' });
  expect(reply.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(reply.text.split('\n')).toEqual(
    expect.arrayContaining([
      'eventferry_collector_requests_total{status="200"} 1',
      'eventferry_collector_requests_total{status="400"} 1',
      'eventferry_collector_messages_total{outcome="accepted"} 1',
      'eventferry_collector_messages_total{outcome="duplicate"} 1',
      'eventferry_collector_messages_total{outcome="rejected"} 1',
      'eventferry_collector_bytes_in_flight 0',
      'eventferry_collector_requests_in_flight 1',
      'eventferry_collector_remembered_ids 1',
    ]),
  );
});
