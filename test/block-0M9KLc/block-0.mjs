import "eventferry/undici";
import { Analytics } from "eventferry";
const analytics = new Analytics({ writeKey: "dev", endpoint: "http://127.0.0.1:40173" });
analytics.track({ userId: "u1", event: "Order Completed" });
await analytics.close();
