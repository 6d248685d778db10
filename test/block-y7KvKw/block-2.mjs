import { Analytics } from "eventferry";
import { addTraceparent, instrumentAnalytics } from "eventferry/opentelemetry";
const analytics = new Analytics({ writeKey: "dev", endpoint: "http://127.0.0.1:33179", before: addTraceparent });
const instrumentation = instrumentAnalytics(analytics, { attributes: { app: "shop" } });
analytics.track({ userId: "u1", event: "Order Completed" });
await analytics.close();
instrumentation.stop();
