import { startComposer } from './composer.js';
import { draw, startLive } from './live.js';
import { startService } from './service/service.js';
import { devSite } from './site.js';
import { startTabs } from './tabs.js';

// `serve` sets the attribute; `dev` serves the page as built.
if (document.documentElement.dataset['server'] === 'service') {
  void startService();
} else {
  startTabs(() => draw());
  startComposer();
  startLive(devSite);
}
