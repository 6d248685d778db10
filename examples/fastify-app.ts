/** A web app: a child client for each request, and a shutdown that loses nothing. */
import { Analytics } from 'eventferry';
import Fastify from 'fastify';

const analytics = new Analytics({
  writeKey: process.env['EVENTFERRY_WRITE_KEY'] ?? 'dev',
  endpoint: process.env['EVENTFERRY_ENDPOINT'] ?? 'http://127.0.0.1:4100',
});
analytics.on('lost', ({ message, error }) => console.error(`lost ${message?.messageId}: ${error.code}`));

const app = Fastify();

app.post('/orders', async (request) => {
  const user = analytics.child({ userId: 'u1', context: { ip: request.ip } });
  user.track({ event: 'Order Completed', properties: { total: 42 } });
  return { ok: true };
});

// First no more requests come in, then what they have tracked is delivered.
app.addHook('onClose', async () => {
  const { delivered, lost } = await analytics.close();
  console.log(`closed: ${delivered} delivered, ${lost} lost`);
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => app.close());

const url = await app.listen({ port: Number(process.env['PORT'] ?? 3000), host: '127.0.0.1' });
console.log(`listening on ${url}`);
