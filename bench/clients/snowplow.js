import { buildSelfDescribingEvent, newTracker } from '@snowplow/node-tracker';
import { Outstanding } from './outstanding.js';

const SCHEMA = 'iglu:com.example/order_completed/jsonschema/1-0-0';

export function open(url, { window = 500, ...settings }) {
  const { hostname: endpoint, port } = new URL(url);
  const calls = new Outstanding(window);
  // Its flush resolves at once while another is under way, so the answers are counted instead.
  const collector = {
    endpoint,
    port: Number(port),
    protocol: 'http',
    onRequestSuccess: (payloads) => payloads.forEach(calls.end),
    onRequestFailure: ({ events, willRetry }) => willRetry || events.forEach(calls.end),
    ...settings,
  };
  const tracker = newTracker({ namespace: 'bench', appId: 'bench' }, collector);

  async function finish() {
    await tracker.flush();
    await calls.none();
  }

  return {
    track({ userId, event, properties, context }) {
      calls.begin();
      tracker.setUserId(userId);
      tracker.track(
        buildSelfDescribingEvent({ event: { schema: SCHEMA, data: { event, ...properties, ...context } } }),
      );
    },
    room: () => calls.room(),
    finish,
    close: () => tracker.flush(),
  };
}
