import { useState } from 'preact/hooks';
import { formatCount } from '../../../base/text/plural.js';
import { Button } from './detail.js';
import { Text } from './text.js';

const SHOWN = 6;

/** Shows the first few names and the number of the others, until the user asks for all. */
export function Names({ of: names }: { of: readonly string[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? names : names.slice(0, SHOWN);
  return (
    <ul class="names line">
      {shown.map((name) => (
        <li key={name} class="badge">
          <Text value={name} />
        </li>
      ))}
      {shown.length < names.length && (
        <li>
          <Button look="link" onClick={() => setWhole(true)}>
            {formatCount(names.length - shown.length)} more
          </Button>
        </li>
      )}
    </ul>
  );
}
