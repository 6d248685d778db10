import type { IntegrationsInput } from '../protocol/integrations.js';

/** The name under which messages speak of this destination. Case sensitive. */
export const PUBLISHED_NAME = 'Webhooks';

/** Whether a message is for this destination: what is said of `Webhooks` by name, and else what is said of `All`. */
export function isWanted(integrations: IntegrationsInput | null | undefined): boolean {
  if (integrations === undefined || integrations === null) return true;
  const named = Object.hasOwn(integrations, PUBLISHED_NAME) ? integrations[PUBLISHED_NAME] : undefined;
  if (named === false) return false;
  if (named === true || (typeof named === 'object' && named !== null)) return true;
  return integrations.All !== false;
}
