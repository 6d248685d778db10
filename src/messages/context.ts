import * as z from 'zod/mini';
import { isRecord } from './fields.js';
import { type Integrations, integrationsSchema, isIntegrations } from './integrations.js';

/**
 * What was around the event: device, page, campaign, locale. Every key is optional and others are allowed; nothing here
 * is copied or changed.
 */
export interface Context {
  /** The user's IP address. */
  ip?: string | undefined;
  /** The user's language and region: `de-CH`. */
  locale?: string | undefined;
  /** An IANA time zone: `Europe/Zurich`. */
  timezone?: string | undefined;
  userAgent?: string | undefined;
  app?: Record<string, unknown> | undefined;
  campaign?: Record<string, unknown> | undefined;
  device?: Record<string, unknown> | undefined;
  network?: Record<string, unknown> | undefined;
  os?: Record<string, unknown> | undefined;
  page?: Record<string, unknown> | undefined;
  referrer?: Record<string, unknown> | undefined;
  screen?: Record<string, unknown> | undefined;
  /** Traits of the user, sent along with a message that is no `identify`. */
  traits?: Record<string, unknown> | undefined;
  /** Accepted here too; sent at the top level of the message, where collectors read it. */
  integrations?: Integrations | undefined;
  [key: string]: unknown;
}

export const isContext = (value: unknown): boolean =>
  isRecord(value) && (value['integrations'] === undefined || isIntegrations(value['integrations']));

/** Says what is wrong with the integrations inside, where `isContext` only says that something is. */
export const contextSchema = z.custom<Context>(isRecord, { error: 'a plain object', abort: true }).check((ctx) => {
  const { integrations } = ctx.value;
  if (integrations === undefined) return;
  for (const issue of integrationsSchema.safeParse(integrations).error?.issues ?? []) {
    ctx.issues.push({ ...issue, code: 'custom', path: ['integrations', ...issue.path], input: integrations });
  }
});
