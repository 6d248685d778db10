import { Collector } from 'eventferry/collector';

const collector = new Collector({
  sources: [{ name: 'website', writeKey: process.env.EVENTFERRY_WRITE_KEY ?? 'dev' }],
  onMessages: (messages, source) => {
    for (const { type, userId } of messages) console.log(`${source.name}: ${type} of ${userId}`);
  },
});

export const GET = collector.fetch;
export const POST = collector.fetch;
export const OPTIONS = collector.fetch;
