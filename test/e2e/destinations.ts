import type { WebhookReceiver } from './receiver.js';

/** Returns the configuration of a destination with one webhook on this machine. */
export const destinationOf = (name: string, { url, secret }: WebhookReceiver, fields: object = {}) => ({
  ...{ name, type: 'Webhooks', sharedSecret: secret, allowLoopback: true, webhooks: [{ url }] },
  ...fields,
});
