import type { DeliveryReport } from '../../../service/api/delivery-answers.js';
import { withoutScheme } from '../format.js';

/** `m1@CRM@crm.example.com/hooks`: one event at one webhook, as the address of the page names it. */
export const keyOfDelivery = ({ id, destination, webhook }: DeliveryReport): string =>
  [id, destination, webhook.id ?? withoutScheme(webhook.url)].map(encodeURIComponent).join('@');

/** The message that such a key names. */
export const messageIdOf = (key: string): string => decodeURIComponent(key.split('@', 1)[0] ?? '');

/** The destination that such a key names; empty where it names none. */
export const destinationIn = (key: string): string => decodeURIComponent(key.split('@', 2)[1] ?? '');
