// It has no queue: `track` is a request for each event, `track_batch` one for each list the caller made.
import { randomUUID } from 'node:crypto';
import Mixpanel from 'mixpanel';
import { Outstanding } from './outstanding.js';

export function open(url, { window = 200, batch = 1 }) {
  const { hostname: host, port } = new URL(url);
  const client = Mixpanel.init('bench', { host, port: Number(port), protocol: 'http' });
  const calls = new Outstanding(window);
  let list = [];

  function sendList() {
    const full = list;
    list = [];
    if (full.length > 0) client.track_batch(full, () => full.forEach(calls.end));
  }

  function track({ userId, event, properties, context }) {
    calls.begin();
    const all = { ...properties, ...context, distinct_id: userId, $insert_id: randomUUID() };
    if (batch === 1) client.track(event, all, calls.end);
    else if (list.push({ event, properties: all }) === batch) sendList();
  }

  function finish() {
    sendList();
    return calls.none();
  }

  return { track, room: () => calls.room(), finish, close: finish };
}
