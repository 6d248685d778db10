/** Counts what became of the messages that were to be forgotten. */
export interface Forgotten {
  /** Messages that waited, in memory and on disk: they are `lost` with the code `EVENTFERRY_FORGOTTEN`. */
  readonly waiting: number;
  /** Dead letters, which were lost before. */
  readonly dead: number;
  /** Messages that were on their way, and that the collector has now: ask it to delete them. */
  readonly sent: number;
}
