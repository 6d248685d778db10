import { formatPath } from '../../protocol/path.js';

/** The objects of a message whose properties a caller chooses. */
const OBJECTS = ['properties', 'traits', 'context', 'integrations'];

/**
 * Names the property that takes the most of a message which is too large, and its size: `track.properties.rows (39000 characters)`.
 * Undefined where no object of the caller has any.
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
