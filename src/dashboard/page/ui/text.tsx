import { visible } from './visible.js';

/** Longer ones may be cut, and so many characters at the end are not. */
const [SHORT, TAIL] = [20, 8];

/**
 * A text in one line. A long one is cut in its middle where the room ends, as the end of an id or a URL tells it from its
 * neighbours; the whole shows on hover, and is what is read out.
 */
export function Text({ value }: { value: string }) {
  const shown = visible(value);
  if (shown.length <= SHORT && shown === value) return <>{value}</>;
  const split = shown.length <= SHORT ? shown.length : shown.length - TAIL;
  return (
    <bdi class="cut" title={shown} data-head={shown.slice(0, split)} data-tail={shown.slice(split)}>
      <i class="hidden">{value}</i>
    </bdi>
  );
}
