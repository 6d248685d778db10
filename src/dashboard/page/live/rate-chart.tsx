import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatCount } from '../../../base/text/plural.js';
import { Bars } from '../ui/bars.js';
import { drawn, rates } from './feed.js';

/** Draws the events per second of the last minute, with the latest number beside it. */
export function RateChart() {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, 1000);
    return () => clearInterval(timer);
  }, [now]);
  drawn.value;
  const counts = rates.until(now.value);
  const last = counts.at(-1) ?? 0;
  const label = `Events per second in the last minute: ${last} now, ${Math.max(...counts)} at most`;
  return (
    <div class="bar" id="rate-box">
      <Bars class="chart" layers={[{ counts }]} width={180} height={28} label={label} />
      <p class="rate-now">
        <span id="rate">{formatCount(last)}</span>
        <span class="note">/s</span>
      </p>
    </div>
  );
}
