import type { HeaderLookup } from './headers.js';

/** One way to sign a delivery: what a sender adds, and how a receiver checks it. */
export interface SignatureScheme {
  /** Every header that the scheme sends, in lower case. */
  readonly headers: readonly string[];
  /** The one of them that holds the signature. The others may be shown to anyone. */
  readonly signatureHeader: string;
  /** Whether a signature covers the time, which a receiver then checks. */
  readonly signsTime: boolean;
  /** What else may be wrong with a delivery that a receiver refuses: a part of a sentence. */
  readonly otherFaults: string;
  /** Returns the headers that sign these bytes. `faultInSecret` found nothing in the secret. */
  sign(delivery: OutgoingDelivery, secret: string): Record<string, string>;
  /**
   * Returns what a valid signature under one of the secrets covers; undefined if none is valid. `faultInSecret` found
   * nothing in the secrets.
   */
  verify(delivery: IncomingDelivery, secrets: readonly string[]): Voucher | undefined;
  /** Says what is wrong with a secret for the end that has it; undefined if nothing is. */
  faultInSecret(secret: string, end: 'sender' | 'receiver'): SecretFault | undefined;
}

/** Why a scheme cannot use a secret, in words that do not repeat it. */
export interface SecretFault {
  readonly expected: string;
  readonly received: string;
  /** What to do, as a sentence without its full stop. */
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
  /** The most that a signed time may be from now in either direction, in ms. */
  readonly tolerance: number;
}

/** The fields that a right signature covers besides the body. */
export interface Voucher {
  /** The event's id, if it is signed. */
  readonly id: string | undefined;
}
