import { WRITE_KEY_VARIABLE } from '../options/connection.js';

/**
 * Returns three lines of code that send an event. If the command took the write key from the environment, the lines read it there
 * too, so that it is not shown.
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
