import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../../protocol/plain.js';
import type { ServiceConfig } from './service-config.js';

/** The differences between the configuration of a running service and a new one. */
export interface ConfigChanges {
  /** True when a token of the admin API has changed. */
  readonly adminToken: boolean;
  /** All changes in words, one per line. Only numbers and booleans are shown, because a text may be a secret. */
  readonly lines: readonly string[];
}

/** The sections that take effect at a reload, apart from `admin.listen`. */
const SECTIONS = ['admin', 'log', 'metrics', 'history', 'audiences'] as const;

/** Compares two configurations. The result contains no secret. */
export function changesBetween(before: ServiceConfig, after: ServiceConfig): ConfigChanges {
  const taken = takenOver(before, after);
  const changed = SECTIONS.flatMap((section) => changesOf(`${section}.`, before[section], taken[section]));
  const forRestart = [
    ...changesOf('listen.', before.listen, after.listen),
    ...changesOf('admin.listen.', before.admin.listen, after.admin.listen),
    ...changesOf('store.', before.store, after.store),
  ];
  return {
    adminToken: tokensOf(before) !== tokensOf(after),
    lines: [
      ...changesOfNamed('source', before.sources, after.sources),
      ...changesOfNamed('destination', before.destinations, after.destinations),
      ...changed,
      ...forRestart.map((change) => `${change}, and stays as it was until the service is started again`),
    ],
  };
}

const tokensOf = ({ admin: { token, tokens } }: ServiceConfig): string => JSON.stringify([token, tokens]);

/** Returns the new configuration without the changes that need a restart. */
export const takenOver = (before: ServiceConfig, after: ServiceConfig): ServiceConfig => ({
  ...after,
  listen: before.listen,
  admin: { ...after.admin, listen: before.admin.listen },
  store: before.store,
});

interface Named {
  readonly name: string;
}

function changesOfNamed(kind: string, before: readonly Named[], after: readonly Named[]): string[] {
  const old = new Map(before.map((one) => [one.name, one]));
  const names = new Set(after.map(({ name }) => name));
  return [
    ...after.filter(({ name }) => !old.has(name)).map(({ name }) => `${kind} ${name} is new`),
    ...after
      .filter(({ name }) => old.has(name))
      .flatMap((one) => changesOf(`${kind} ${one.name}: `, old.get(one.name), one)),
    ...before.filter(({ name }) => !names.has(name)).map(({ name }) => `${kind} ${name} is gone`),
  ];
}

/** @param path the place of both values and the separator before a field's name: `admin.`, `source shop: ` */
function changesOf(path: string, before: unknown, after: unknown): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => changesOf(`${path}${key}.`, before[key], after[key]));
  }
  const values = isShown(before) && isShown(after) ? ` from ${before} to ${after}` : '';
  return [`${path.slice(0, -1)} changed${values}`];
}

const isShown = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean';
