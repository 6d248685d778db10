/** One of the tabs that show what the service holds. */
export interface View {
  /** `sources`. */
  readonly name: string;
  readonly label: string;
  readonly body: HTMLElement;
  /** Fetches and shows the present state. */
  refresh(signal: AbortSignal): Promise<void>;
}
