import type { AnyObject, With } from './any-object.js';
import type { Integrations, IntegrationsInput } from './integrations.js';

interface KnownContext<SomeObject, Switches> {
  /** The user's IP address. */
  ip?: string | null | undefined;
  /** The user's language and region: `de-CH`. */
  locale?: string | null | undefined;
  /** An IANA time zone: `Europe/Zurich`. */
  timezone?: string | null | undefined;
  userAgent?: string | null | undefined;
  app?: SomeObject | null | undefined;
  campaign?: SomeObject | null | undefined;
  device?: SomeObject | null | undefined;
  network?: SomeObject | null | undefined;
  os?: SomeObject | null | undefined;
  page?: SomeObject | null | undefined;
  referrer?: SomeObject | null | undefined;
  screen?: SomeObject | null | undefined;
  /** Traits of the user that are sent with a message other than `identify`. */
  traits?: SomeObject | null | undefined;
  /** Accepted here too, but sent at the top level of the message, where collectors read it. */
  integrations?: Switches | null | undefined;
}

/**
 * The surroundings of the event in the form that a call accepts: device, page, campaign, locale. Every key is optional, and other
 * keys are allowed. Nothing in it is copied or changed.
 */
export type ContextInput = With<KnownContext<AnyObject, IntegrationsInput>>;

/** The context in the form that a message has. */
export interface Context extends KnownContext<Record<string, unknown>, Integrations> {
  [key: string]: unknown;
}
