import { Collector } from 'eventferry/collector';

const collected = [];
const collector = new Collector({
  sources: [{ name: 'app', writeKey: 'k' }],
  onMessages: async (messages) => void collected.push(...messages.map(({ event }) => event)),
});

async function main() {
  const { url } = await collector.listen({ port: 0 });
  await fetch(`${url}/v1/track`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('k:')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId: 'u1', event: 'Signed Up' }),
  });
  await collector.close();
  console.log(JSON.stringify({ collected }));
}

main();
