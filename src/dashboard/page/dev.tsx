import { Top, Views } from './app.js';
import { Composer, compose } from './live/composer.js';
import { feedState } from './live/feed.js';
import { liveViews } from './live/live-views.js';
import { RateChart } from './live/rate-chart.js';
import { Button } from './ui/detail.js';

export function Dev() {
  return (
    <>
      <Top state={feedState.value}>
        <RateChart />
        <Button id="compose" look="primary" onClick={compose}>
          Send event
        </Button>
      </Top>
      <Views views={liveViews()} />
      <Composer />
    </>
  );
}
