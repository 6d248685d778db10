import { Analytics } from "eventferry";
import pino from "pino";
const log = pino();
const analytics = new Analytics({
  writeKey: "dev",
  endpoint: "http://127.0.0.1:46843",
  // pino takes the object first.
  logger: {
    debug: (text, details) => log.debug(details, text),
    warn: (text, details) => log.warn(details, text),
    error: (text, details) => log.error(details, text)
  }
});
analytics.track({ userId: "u1", event: "Order Completed" });
await analytics.close();
