import { render } from 'preact';
import { Dev } from './dev.js';
import { listen } from './live/feed.js';
import { isService } from './live/site.js';
import { Service, startService } from './service/service.js';

const root = document.getElementById('app');
if (root !== null) {
  if (isService) {
    startService();
    render(<Service />, root);
  } else {
    listen();
    render(<Dev />, root);
  }
}
