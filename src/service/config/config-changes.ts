import { isDeepStrictEqual } from 'node:util';
import type { ServiceConfig } from './service-config.js';

/** The differences between the configuration of a running service and another. */
export interface ConfigChanges {
  /** True when a token of the admin API is another one. */
  readonly adminToken: boolean;
  /** All changes in words, one a line, without values. */
  readonly lines: readonly string[];
}

const SECTIONS = ['log', 'metrics', 'history', 'audiences'] as const;

/** Compares two configurations. Names no secret. */
export function changesBetween(before: ServiceConfig, after: ServiceConfig): ConfigChanges {
  const changed = [
    ...changedKeys('admin', { ...before.admin, listen: undefined }, { ...after.admin, listen: undefined }),
    ...SECTIONS.flatMap((section) => changedKeys(section, before[section], after[section])),
  ];
  const forRestart = [
    ...changedKeys('listen', before.listen, after.listen),
    ...changedKeys('admin.listen', before.admin.listen, after.admin.listen),
    ...changedKeys('store', before.store, after.store),
  ];
  return {
    adminToken: tokensOf(before) !== tokensOf(after),
    lines: [
      ...changesOfNamed('source', before.sources, after.sources),
      ...changesOfNamed('destination', before.destinations, after.destinations),
      ...changed.map((key) => `${key} changed`),
      ...forRestart.map((key) => `${key} changed, and stays as it was until the service is started again`),
    ],
  };
}

const tokensOf = ({ admin: { token, tokens } }: ServiceConfig): string => JSON.stringify([token, tokens]);

/** The new configuration, without the changes that need a restart. */
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
  const kept = after.filter(({ name }) => old.has(name));
  return [
    ...after.filter(({ name }) => !old.has(name)).map(({ name }) => `${kind} ${name} is new`),
    ...kept.filter((one) => !isDeepStrictEqual(old.get(one.name), one)).map(({ name }) => `${kind} ${name} changed`),
    ...before.filter(({ name }) => !names.has(name)).map(({ name }) => `${kind} ${name} is gone`),
  ];
}

function changedKeys(section: string, before: object = {}, after: object = {}): string[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const keys = [...new Set([...old.keys(), ...now.keys()])];
  return keys.filter((key) => !isDeepStrictEqual(old.get(key), now.get(key))).map((key) => `${section}.${key}`);
}
