import { expect } from 'vitest';

const sent = { delivered: 1, lost: 0 };

/** What the app of each entry point for Node programs prints. */
export const OUTCOMES: Readonly<Record<string, object>> = {
  eventferry: sent,
  events: { known: 'fine', unknown: expect.stringContaining('Did you mean "Signed Up"?') },
  webhooks: { status: 200, received: ['Signed Up'] },
  middleware: sent,
  testing: { captured: 1 },
  opentelemetry: sent,
  undici: { delivered: 20, retries: 0, clients: ['node:http', 'undici'] },
  admin: { asked: '/v1/status' },
};

/** What the app of each entry point for servers prints. Such apps are rarely bundled. */
export const SERVER_OUTCOMES: Readonly<Record<string, object>> = {
  collector: { collected: ['Signed Up'] },
  destination: { delivered: 'm1' },
  service: { status: 200, described: 404, openapi: expect.stringContaining('dist/openapi.json.br') },
};
