// Who is measured, and how each is set up. `window` bounds how many calls may be unanswered, for clients that do not say
// themselves when there is room; each is the best of those tried for that client.

/** 500,000 bytes of 405-byte messages, commas and envelope included. */
const LARGE = 1_231;

const row = (label, client, settings = {}, more = {}) => ({ label, client, settings, ...more });

export const ours = row('eventferry', 'eventferry');
export const ours20 = row('eventferry, batches of 20', 'eventferry', { flushAt: 20, maxBatchMessages: 20 });
export const oursLarge = row('eventferry, 500 KB batches', 'eventferry', { flushAt: LARGE });
export const oursGzip = row('eventferry, gzip', 'eventferry', { gzip: true });
export const ours4 = row('eventferry, concurrency 4', 'eventferry', { concurrency: 4 });

/** Each in a folder of its own. */
export const journal20 = row('eventferry with a journal, batches of 20', 'eventferry-journal', ours20.settings);
export const journalLarge = row('eventferry with a journal, 500 KB batches', 'eventferry-journal', oursLarge.settings);
export const journalCall = row('eventferry with a journal', 'eventferry-journal');
export const journalMachine = row('eventferry, durability machine', 'eventferry-journal', { durability: 'machine' });

const channels = (label, names) => row(label, 'eventferry-channels', { channels: names });
export const channelsHidden = channels('a runtime without channels');
export const channelsUnheard = channels('no subscriber', []);
export const channelsAccepted = channels('a subscriber of accepted messages', ['message:accepted']);
export const channelsAll = channels('a subscriber of every message and batch', [
  'message:accepted',
  'message:delivered',
  'message:lost',
  'batch:flushed',
  'batch:retried',
  'batch:ended',
  'request:started',
]);

export const limit20 = row('limit, batches of 20', 'limit', { messages: 20 });
export const limitLarge = row('limit, 500 KB batches', 'limit', { messages: LARGE });
export const limitLarge4 = row('limit, 500 KB batches, 4 at once', 'limit', { messages: LARGE, concurrency: 4 });

/** Checks what it is given, as eventferry does; the others send whatever comes. */
const validates = { validates: true };

export const segment = row('@segment/analytics-node', 'segment', { window: 300 }, validates);
export const segment20 = row('@segment/analytics-node, 20', 'segment', { window: 300, flushAt: 20 }, validates);
/** With more calls open, and so more requests: better over a link, worse without. */
export const segmentOpen = row('@segment/analytics-node', 'segment', { window: 1_000 }, validates);
export const posthog = row('posthog-node', 'posthog');
export const posthog20 = row('posthog-node, 20', 'posthog', {
  flushAt: 20,
  maxBatchSize: 20,
  disableCompression: true,
});
export const rudder = row('@rudderstack/rudder-sdk-node', 'rudder', {}, validates);
export const rudder20 = row('@rudderstack/rudder-sdk-node, no gzip', 'rudder', { gzip: false }, validates);
/** Its batches are of 20 as a user gets it. */
export const analyticsNode = row('analytics-node', 'analytics-node', {}, validates);
export const mixpanel = row('mixpanel', 'mixpanel');
export const mixpanel20 = row('mixpanel, track_batch of 20', 'mixpanel', { batch: 20, window: 1_000 });
export const snowplow = row('@snowplow/node-tracker', 'snowplow');
export const snowplow20 = row('@snowplow/node-tracker, 20', 'snowplow', { bufferSize: 20 });

/** Calls nothing: what the measuring itself costs, and the machine. */
export const idle = row('idle process', 'idle');

export const peers = [segment, posthog, rudder, analyticsNode, mixpanel, snowplow];
export const tunedPeers = [segment20, posthog20, rudder20, mixpanel20, snowplow20];
