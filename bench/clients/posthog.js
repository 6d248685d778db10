import { PostHog } from 'posthog-node';

export function open(url, { window = 1_000, ...settings }) {
  const client = new PostHog('bench', { host: url, ...settings });
  client.on('error', () => {});
  let calls = 0;

  async function flush() {
    calls = 0;
    await client.flush().catch(() => {});
  }

  return {
    track({ userId, event, properties, context }) {
      calls++;
      client.capture({ distinctId: userId, event, properties: { ...properties, ...context } });
    },
    // It says neither when a call has ended nor when there is room: past its queue's bound it drops the oldest.
    room: () => (calls < window ? undefined : flush()),
    finish: flush,
    close: () => client.shutdown(),
  };
}
