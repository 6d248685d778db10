/** What happened to the messages that were to be forgotten: the number of each kind. */
export interface Forgotten {
  /** Messages that waited, in memory and on disk. They are `lost` with the code `EVENTFERRY_FORGOTTEN`. */
  readonly waiting: number;
  /** Dead letters, which were lost before. */
  readonly dead: number;
  /** Messages that were being sent, and that the collector has accepted. They have to be deleted there. */
  readonly sent: number;
}
