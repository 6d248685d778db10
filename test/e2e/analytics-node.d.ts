declare module 'analytics-node' {
  class Analytics {
    constructor(
      writeKey: string,
      options: { host: string; flushAt?: number; flushInterval?: number; errorHandler?: (error: Error) => void },
    );
  }
  export = Analytics;
}
