import { shownUrl } from '../../destination/shown-url.js';
import { CliError, EXIT } from '../cli-error.js';
import type { Terminal } from '../terminal.js';
import { describeExplanation, withName } from './describe.js';
import { inspecting, type StoreOptions } from './folder.js';

/** Prints the state of one event at each webhook, and the reason. */
export function explainDelivery(id: string, options: StoreOptions, terminal: Terminal): Promise<number> {
  return inspecting(options, async (found) => {
    let isKnown = false;
    for (const { name: destination, inspector } of found) {
      const explanation = await inspector.explain(id);
      if (explanation === undefined) continue;
      isKnown = true;
      const endpoints = explanation.endpoints.map((endpoint) => ({ ...endpoint, url: shownUrl(endpoint.url) }));
      const shown = { ...explanation, endpoints };
      terminal.print(withName(destination, describeExplanation(shown, terminal)), { destination, ...shown });
    }
    if (!isKnown) throw new CliError(`the store has no event ${id}: it was delivered and forgotten, or never arrived`);
    return EXIT.ok;
  });
}
