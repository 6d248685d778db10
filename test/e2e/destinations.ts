import type { WebhookReceiver } from './receiver.js';

/** A destination with one webhook, on this machine, as it stands in a configuration. */
export const destinationOf = (name: string, { url, secret }: WebhookReceiver, fields: object = {}) => ({
  ...{ name, type: 'Webhooks', sharedSecret: secret, allowLoopback: true, webhooks: [{ url }] },
  ...fields,
});
