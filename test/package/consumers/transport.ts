import { Analytics, type Transport } from 'eventferry';

const transport: Transport = async ({ url, headers, body, signal }) => {
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
  return { status: response.status, headers: response.headers, body: await response.text() };
};

export const analytics = new Analytics({ writeKey: 'dev', endpoint: 'http://127.0.0.1:4100', transport });
