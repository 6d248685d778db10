import { subscribe } from "node:diagnostics_channel";
import { Analytics } from "eventferry";
subscribe("eventferry:batch:flushed", (published) => {
  const { messages, bytes } = published;
  console.log("sending", messages, bytes);
});
const analytics = new Analytics({ writeKey: "dev", endpoint: "http://127.0.0.1:33693" });
analytics.track({ userId: "u1", event: "Order Completed" });
await analytics.close();
