import { render } from 'preact';
import { Dev } from './dev.js';
import { listen } from './live/feed.js';
import { devSite } from './live/site.js';
import { Service, startService } from './service/service.js';

const root = document.getElementById('app');
if (root !== null) {
  // `serve` changes the attribute; `dev` serves the page as it was built.
  if (document.documentElement.dataset['server'] === 'service') {
    startService();
    render(<Service />, root);
  } else {
    listen(devSite);
    render(<Dev />, root);
  }
}
