import { Collector } from '../../src/collector/collector.js';
import type { ReceivedMessage } from '../../src/collector/received-message.js';

/** Starts a real collector on a free port that keeps the messages it receives. */
export async function startCollector({ store = () => {} }: { store?: (request: number) => void | Promise<void> } = {}) {
  const messages: ReceivedMessage[] = [];
  const counts = { requests: 0, duplicates: 0 };
  const collector = new Collector({
    writeKeys: ['key'],
    onMessages: async (batch) => {
      await store(++counts.requests);
      messages.push(...batch);
    },
    onAnswered: ({ duplicates }) => {
      counts.duplicates += duplicates;
    },
  });
  const { url } = await collector.listen({ port: 0 });
  return { url, messages, counts, close: () => collector.close() };
}
