import type { HeaderLookup } from './headers.js';

/** A way to sign a delivery: which headers a sender adds, and how a receiver checks them. */
export interface SignatureScheme {
  /** Describes its headers, in words that follow its name. */
  readonly meaning: string;
  /** Every header that the scheme sends, in lower case. */
  readonly headers: readonly string[];
  /** The header that holds the signature. The others may be shown to anyone. */
  readonly signatureHeader: string;
  /** Whether a signature covers the event's id and the time, which a receiver then checks. */
  readonly signsTime: boolean;
  /** Further reasons why a signature may not match, in words that end the sentence of a refusal. */
  readonly otherFaults: string;
  /** Returns the headers that sign these bytes. The secret must be one in which `faultInSecret` finds nothing. */
  sign(delivery: OutgoingDelivery, secret: string): Record<string, string>;
  /**
   * Returns what a valid signature under one of the secrets covers; undefined if none is valid. The secrets must be ones in which
   * `faultInSecret` finds nothing.
   */
  verify(delivery: IncomingDelivery, secrets: readonly string[]): Voucher | undefined;
  /** Returns what is wrong with a secret for the sender or the receiver; undefined if nothing is. */
  faultInSecret(secret: string, end: 'sender' | 'receiver'): SecretFault | undefined;
}

/** Why a scheme cannot use a secret, in words that do not repeat it. */
export interface SecretFault {
  readonly expected: string;
  readonly received: string;
  /** What to do about it, as a sentence without its full stop. */
  readonly hint?: string | undefined;
}

export interface OutgoingDelivery {
  /** The event's id, the same on every attempt. Any text. */
  readonly id: string;
  readonly body: string | Uint8Array;
  /** The time of this attempt, in ms since 1970. */
  readonly now: number;
}

export interface IncomingDelivery {
  readonly header: HeaderLookup;
  readonly body: string | Uint8Array;
  /** Now, in ms since 1970. */
  readonly now: number;
  /** The maximum difference between a signed time and now, in either direction, in ms. */
  readonly tolerance: number;
}

/** The fields, besides the body, that a valid signature covers. */
export interface Voucher {
  /** The event's id, if it is signed. */
  readonly id: string | undefined;
}
