// The packed client sends to the packed collector. Prints what was collected.
import { Analytics } from 'eventferry';
import { Collector } from 'eventferry/collector';

const collected = [];
const collector = new Collector({
  sources: [{ name: 'app', writeKey: 'dev' }],
  onMessages: async (messages) => void collected.push(...messages),
});
const { url } = await collector.listen({ port: 0 });
const analytics = new Analytics({ writeKey: 'dev', endpoint: url });
analytics.identify({ userId: 'u1', traits: { plan: 'pro' } });
await analytics.close();
await collector.close();
console.log(JSON.stringify(collected));
