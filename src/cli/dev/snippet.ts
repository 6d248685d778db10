import { WRITE_KEY_VARIABLE } from '../connection.js';

/**
 * Three lines that send an event when they are pasted. A write key that the command took from the environment is read from
 * there by these lines too, and not shown.
 */
export function snippetOf(url: string, writeKey: string, isKeyInEnvironment = false): readonly string[] {
  const key = isKeyInEnvironment ? `process.env.${WRITE_KEY_VARIABLE}` : quoted(writeKey);
  return [
    "import { Analytics } from 'eventferry';",
    `const analytics = new Analytics({ writeKey: ${key}, endpoint: '${url}' });`,
    "analytics.track({ userId: 'u1', event: 'Hello World' });",
  ];
}

const quoted = (text: string): string => (/^[\w.~-]*$/.test(text) ? `'${text}'` : JSON.stringify(text));
