import type { CollectorOptions } from '../../collector/collector-options.js';
import type { Feed } from './live-feed.js';

/** The maximum number of characters of a rejected text that are shown. */
const MAX_RAW = 32_768;

/** Records in the feed what a collector accepts, refuses and answers. */
export function recordInto(feed: Feed): Pick<CollectorOptions, 'onMessages' | 'onRejected' | 'onAnswered'> {
  return {
    onMessages(messages, { name: source }, { receivedAt }) {
      for (const message of messages) {
        const bytes = Buffer.byteLength(JSON.stringify(message));
        feed.add({ kind: 'message', receivedAt, source, bytes, message });
      }
    },
    onRejected(rejections, source, { receivedAt, userAgent }) {
      for (const { code, message: reason, raw } of rejections) {
        const client = userAgent ?? '';
        const shown = raw.length > MAX_RAW ? `${raw.slice(0, MAX_RAW)}…` : raw;
        feed.add({ kind: 'rejected', receivedAt, source: source?.name ?? '', code, reason, raw: shown, client });
      }
    },
    onAnswered({ status, rejected, duplicates }, source, request) {
      const { receivedAt, path, messages, bytes, wireBytes, attempt, userAgent } = request;
      const entry = { receivedAt, path, messages, rejected, duplicates, bytes, wireBytes, attempt, status };
      feed.add({ kind: 'batch', ...entry, source: source?.name ?? '', client: userAgent ?? '' });
    },
  };
}
