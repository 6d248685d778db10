import { visible } from './visible.js';

/** A text longer than the first is cut, but not in its last characters, of which the second is the number. */
const [SHORT, TAIL] = [20, 8];

/**
 * Shows a text in one line. A long text is cut in its middle where the room ends, as the end of an id or a URL tells it from
 * its neighbours. The whole text shows on hover and is read out.
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
