export type Environment = Readonly<Record<string, string | undefined>>;

export interface Replaced {
  readonly text: string;
  /** The variables it was made with. */
  readonly used: readonly string[];
  /** Those that are not set. */
  readonly missing: readonly string[];
  /** Whether a `${` stands there that begins no name. */
  readonly isMalformed: boolean;
}

const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g;

/**
 * Puts the environment's values into a text: `${NAME}` is what NAME is set to, which may be empty, and `$${` is a plain
 * `${`. What was put in is not looked at again.
 */
export function replaceVariables(given: string, env: Environment): Replaced {
  const used: string[] = [];
  const missing: string[] = [];
  let isMalformed = false;
  const text = given.replace(REFERENCE, (reference: string, name: string | undefined) => {
    if (reference === '$${') return '${';
    if (name === undefined) {
      isMalformed = true;
      return reference;
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    (value === undefined ? missing : used).push(name);
    return value ?? reference;
  });
  return { text, used, missing, isMalformed };
}
