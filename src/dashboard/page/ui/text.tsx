import { visible } from './visible.js';

/** Texts longer than `SHORT` characters may be cut, but their last `TAIL` characters always stay. */
const [SHORT, TAIL] = [20, 8];

/**
 * Shows a text in one line. A long text is cut in the middle to fit, because ids and URLs often differ only at their end. The
 * whole text is shown on hover and read by screen readers.
 */
export function Text({ value }: { value: string }) {
  const shown = visible(value);
  if (shown.length <= SHORT && shown === value) return <>{value}</>;
  const split = shown.length <= SHORT ? shown.length : shown.length - TAIL;
  return (
    <bdi title={shown}>
      <i class="hidden">{value}</i>
      <span class="cut" aria-hidden="true" data-head={shown.slice(0, split)} data-tail={shown.slice(split)} />
    </bdi>
  );
}
