import { Framed } from './detail.js';
import { escapeUnseen } from './visible.js';

/** Shows a value as JSON. JSON does not escape bidi controls, so they are escaped here to be visible. */
export function JsonView({ value }: { value: unknown }) {
  const lines = (JSON.stringify(value, null, 2) ?? 'null').split('\n');
  return <Framed look="json">{lines.map(escapeUnseen).join('\n')}</Framed>;
}

/** Shows a text as JSON if it is JSON, and otherwise unchanged. */
export function RawView({ raw }: { raw: string }) {
  if (raw === '') return <p class="note">The body could not be read.</p>;
  const parsed = parse(raw);
  return parsed === undefined ? <Framed look="json">{raw}</Framed> : <JsonView value={parsed} />;
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
