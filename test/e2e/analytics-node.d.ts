declare module 'analytics-node' {
  class Analytics {
    constructor(writeKey: string, options: { host: string; flushAt?: number; flushInterval?: number });
  }
  export = Analytics;
}
