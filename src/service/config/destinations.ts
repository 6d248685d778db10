import { SettingError } from '../../destination/errors.js';
import { type DestinationOptions, resolveOptions } from '../../destination/options.js';
import { describe } from '../../protocol/describe.js';
import { isRecord } from '../../protocol/is.js';
import type { DestinationConfig } from './config.js';
import type { ConfigDocument } from './document.js';
import { schemaAt } from './json-schema.js';
import { type Finding, type Keys, keyOf, parseKeys, valueAt } from './places.js';
import { describeAt } from './schema-check.js';

/** The options of a configured destination, without its store. */
export function optionsOf(destination: DestinationConfig): DestinationOptions {
  const { name: _, type: __, ...settings } = destination;
  return settings;
}

/** The findings of the destination's own check, so that it refuses nothing later that was taken here. */
export function destinationFindings(document: ConfigDocument): Finding[] {
  const destinations = valueAt(document.value, ['destinations']);
  if (!Array.isArray(destinations)) return [];
  return destinations.flatMap((destination, index) =>
    isRecord(destination) ? settingFindings(document, ['destinations', index], destination) : [],
  );
}

/** The check names the first mistake only. So that is mended, and the check repeated until it passes. */
function settingFindings(document: ConfigDocument, at: Keys, destination: Record<string, unknown>): Finding[] {
  const { name: _, type: __, ...settings } = withoutUnknown(document.value, at, structuredClone(destination));
  const findings: Finding[] = [];
  for (let error = refusal(settings); error !== undefined; error = refusal(settings)) {
    const setting = parseKeys(error.setting);
    const keys = [...at, ...setting];
    if (findings.some((finding) => keyOf(finding.keys) === keyOf(keys))) break;
    findings.push({ keys, expected: error.expected, received: receivedOf(document, keys, error) });
    mend(settings, setting);
  }
  return findings;
}

/** Without unknown keys: the schema has reported them, and the check would stop at them. */
function withoutUnknown(value: unknown, at: Keys, given: Record<string, unknown>): Record<string, unknown> {
  const known = schemaAt(value, at)?.properties ?? {};
  const entries = Object.entries(given).filter(([key]) => Object.hasOwn(known, key));
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      if (/^max(Backlog|DeadLetters)$/.test(key) && isRecord(inner))
        return [key, withoutUnknown(value, [...at, key], inner)];
      if (key !== 'webhooks' || !Array.isArray(inner)) return [key, inner];
      return [key, inner.map((one, index) => (isRecord(one) ? withoutUnknown(value, [...at, key, index], one) : one))];
    }),
  );
}

function refusal(settings: Record<string, unknown>): SettingError | undefined {
  try {
    // It checks values of any type; its parameter type is for callers.
    resolveOptions(settings as unknown as DestinationOptions);
    return undefined;
  } catch (error) {
    if (error instanceof SettingError) return error;
    throw error;
  }
}

/** In the words of the destination, except for texts: it does not know which may be shown. */
function receivedOf(document: ConfigDocument, keys: Keys, { received }: SettingError): string {
  const isQuoted = received === describe(valueAt(document.value, keys));
  return isQuoted || document.variablesOf(keys).length > 0 ? describeAt(document, keys) : received;
}

/** Replaces a wrong value by a right one, or removes it where it may be left out. */
function mend(settings: Record<string, unknown>, setting: Keys): void {
  const parent = valueAt(settings, setting.slice(0, -1)) as Record<string | number, unknown>;
  const key = setting.at(-1) ?? '';
  const right = rightFor(setting, parent[key]);
  if (right === undefined) delete parent[key];
  else parent[key] = right;
}

const EVERYWHERE = ['0.0.0.0/0', '::/0'] as const;

/** A right value for a setting, by its last key. */
const STAND_INS: Readonly<Record<string, (url: string) => string>> = {
  url: (url) => url,
  sharedSecret: () => 'a stand-in',
  secret: () => 'a stand-in',
};

function rightFor(setting: Keys, wrong: unknown): unknown {
  const [first, index] = setting;
  const url = `https://${Number(index ?? 0)}.invalid/`;
  if (first === 'allowCidrs') {
    if (index === undefined) return EVERYWHERE;
    // So wide that it allows any URL that the wrong one was meant to allow.
    return String(wrong).includes(':') ? EVERYWHERE[1] : EVERYWHERE[0];
  }
  if (setting.length === 1 && first === 'webhooks') {
    return Array.isArray(wrong) && wrong.length > 5 ? wrong.slice(0, 5) : [{ url }];
  }
  if (first === 'webhooks' && setting.length === 2) return { url };
  return STAND_INS[String(setting.at(-1))]?.(url);
}
