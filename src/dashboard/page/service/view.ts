/** One of the tabs that show what the service holds. */
export interface View {
  /** `sources`. */
  readonly name: string;
  readonly label: string;
  readonly body: HTMLElement;
  /** Asks for what there is now, and shows it. */
  refresh(signal: AbortSignal): Promise<void>;
}
