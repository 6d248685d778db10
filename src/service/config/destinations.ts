import { OptionError } from '../../base/errors/errors.js';
import { describe } from '../../base/text/describe.js';
import { type DestinationOptions, resolveOptions } from '../../destination/destination-options.js';
import { isRecord } from '../../protocol/plain.js';
import type { ConfigValues } from './config-values.js';
import { type Finding, type Keys, keyOf, parseKeys, valueAt } from './places.js';
import { describeAt } from './schema-check.js';
import type { DestinationConfig } from './service-config.js';

/** The options of a configured destination, without its store. */
export function optionsOf(destination: DestinationConfig): DestinationOptions {
  const { name: _, type: __, keepAttempts: ___, ...settings } = destination;
  return settings;
}

/**
 * The findings of the destination's own check, so that it refuses nothing later that was taken here.
 *
 * @param unknown the keys that the schema has found: the check would stop at each
 */
export function destinationFindings(values: ConfigValues, unknown: readonly Keys[]): Finding[] {
  const value = structuredClone(values.value);
  for (const keys of unknown) put(value, keys, undefined);
  const destinations = valueAt(value, ['destinations']);
  if (!Array.isArray(destinations)) return [];
  return destinations.flatMap((destination, index) =>
    isRecord(destination) ? settingFindings(values, ['destinations', index], destination) : [],
  );
}

/** The check names the first mistake only, so that one is mended and the check repeated until it passes. */
function settingFindings(values: ConfigValues, at: Keys, destination: Record<string, unknown>): Finding[] {
  const { name: _, type: __, keepAttempts: ___, ...settings } = destination;
  const findings: Finding[] = [];
  for (let error = refusal(settings); error !== undefined; error = refusal(settings)) {
    const setting = parseKeys(error.option);
    const keys = [...at, ...setting];
    if (findings.some((finding) => keyOf(finding.keys) === keyOf(keys))) break;
    findings.push({ keys, expected: error.expected, received: receivedOf(values, keys, error) });
    put(settings, setting, rightFor(setting, valueAt(settings, setting)));
  }
  return findings;
}

/** Replaces a value; undefined removes it. */
function put(value: unknown, keys: Keys, other: unknown): void {
  const parent = valueAt(value, keys.slice(0, -1)) as Record<string | number, unknown>;
  const key = keys.at(-1) ?? '';
  if (other === undefined) delete parent[key];
  else parent[key] = other;
}

function refusal(settings: Record<string, unknown>): OptionError | undefined {
  try {
    // It checks values of any type; its parameter type is for callers.
    resolveOptions(settings as unknown as DestinationOptions);
    return undefined;
  } catch (error) {
    if (error instanceof OptionError) return error;
    throw error;
  }
}

/** Says what came in the words of the destination, except for texts, because it does not know which of them may be shown. */
function receivedOf(values: ConfigValues, keys: Keys, { received }: OptionError): string {
  const isQuoted = received === describe(valueAt(values.value, keys));
  return isQuoted || values.variablesOf(keys).length > 0 ? describeAt(values, keys) : received;
}

const EVERYWHERE = ['0.0.0.0/0', '::/0'] as const;

/** A placeholder that every signature scheme accepts. */
const SECRET = `whsec_${'A'.repeat(32)}`;

/** A right value for a setting that is wrong; undefined where it may be left out. */
function rightFor(setting: Keys, wrong: unknown): unknown {
  const [first, index] = setting;
  const url = `https://${Number(index ?? 0)}.invalid/`;
  if (first === 'allowCidrs') {
    if (index === undefined) return EVERYWHERE;
    // It is so wide that it allows any URL that the wrong one was meant to allow.
    return String(wrong).includes(':') ? EVERYWHERE[1] : EVERYWHERE[0];
  }
  if (setting.length === 1 && first === 'webhooks')
    return Array.isArray(wrong) && wrong.length > 5 ? wrong.slice(0, 5) : [{ url }];
  if (first === 'webhooks' && setting.length === 2) return { url };
  return { url, sharedSecret: SECRET, secret: SECRET }[String(setting.at(-1))];
}
