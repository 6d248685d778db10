import { Analytics, type Transport } from 'eventferry';

const viaFetch: Transport = async ({ url, headers, body, signal }) => {
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
  return { status: response.status, headers: response.headers, body: await response.text() };
};

const analytics = new Analytics({
  writeKey: 'dev',
  endpoint: 'http://127.0.0.1:33703',
  transport: viaFetch,
});
analytics.track({ userId: 'u1', event: 'Order Completed' });
console.log(await analytics.close());
