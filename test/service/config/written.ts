import { compilePlan } from '../../../src/plan/compile.js';
import type { TrackingPlan } from '../../../src/plan/tracking-plan.js';
import { ConfigError, type ConfigProblem } from '../../../src/service/config/config-errors.js';
import { configText } from '../../../src/service/config/config-text.js';
import { ConfigDocument } from '../../../src/service/config/document.js';
import type { Environment } from '../../../src/service/config/environment.js';
import { parseSource } from '../../../src/service/config/load-config.js';
import type { ServiceConfig } from '../../../src/service/config/service-config.js';

/** The smallest valid file. */
export const MINIMAL = 'sources: [{ name: shop, writeKeys: [k1] }]';

const compiled = new Map<string, TrackingPlan>();

/** Compiles a plan once for all texts that contain it, because most tests change another part of the same file. */
function compileOnce(plan: unknown, file: string): TrackingPlan {
  const key = JSON.stringify(plan);
  const found = compiled.get(key) ?? compilePlan(plan, file);
  compiled.set(key, found);
  return found;
}

/** Reads a text as if it were in `/srv/eventferry.yaml`. */
export function read(text: string, env: Environment = {}): ServiceConfig {
  const [files, folder] = [new Map(), '/srv'];
  const document = () => new ConfigDocument(configText(text), { env, files, folder });
  return parseSource({ document, files, folder, compile: compileOnce }, '/srv/eventferry.yaml');
}

/** Reads a value as if it were written in JSON. */
export const readValue = (value: unknown, env: Environment = {}): ServiceConfig => read(JSON.stringify(value), env);

export function errorOf(text: string, env: Environment = {}): ConfigError {
  try {
    read(text, env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('nothing was wrong');
}

export const problemsOf = (text: string, env: Environment = {}): readonly ConfigProblem[] =>
  errorOf(text, env).problems;

/** Returns the mistakes of a configuration that is minimal except for this part. */
export const mistakesWith = (part: object, env: Environment = {}): string[] =>
  problemsOf(JSON.stringify({ sources: [{ name: 'shop', writeKeys: ['k1'] }], ...part }), env).map(
    ({ path, expected, received }) => `${path}: ${expected}, got ${received}`,
  );
