import { formatPath } from '../../protocol/path.js';

/** The objects in a message whose properties the caller chooses. */
const OBJECTS = ['properties', 'traits', 'context', 'integrations'];

/**
 * Names the largest property of a message that is too large, and its size: `track.properties.rows (39000 characters)`. Returns
 * undefined if no object of the caller has properties.
 *
 * @param json the message as it was written
 */
export function largestIn(type: string, json: string): string | undefined {
  const message: Readonly<Record<string, object | undefined>> = JSON.parse(json);
  const [largest] = OBJECTS.flatMap((object) =>
    Object.entries(message[object] ?? {}).map(([key, value]) => ({
      path: formatPath(type, [object, key]),
      length: JSON.stringify(value).length,
    })),
  ).sort((one, other) => other.length - one.length);
  return largest && `${largest.path} (${largest.length} characters)`;
}
