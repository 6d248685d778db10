import { createReceiver, verify, type WebhookEvent } from 'eventferry/webhooks';
import { sampleDelivery } from 'eventferry/webhooks/testing';

const received: WebhookEvent[] = [];

export const receiver = createReceiver({
  secrets: 'shhh',
  onEvent: (event) => {
    if (event.type === 'track') event.event satisfies string;
    // @ts-expect-error Not every event has a name.
    void event.event;
    received.push(event);
  },
});

const { headers, body } = sampleDelivery('track', { secret: 'shhh' });
export const isGenuine: boolean = verify(body, headers['x-signature'], 'shhh');
