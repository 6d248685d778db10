/** Answers are a few bytes; one that names every message of a full batch as refused is some hundred thousand. */
const LONGEST_ANSWER_BYTES = 1_048_576;

const utf8 = new TextDecoder();

/** The body of an answer, put together from what comes in, up to 1 MiB. */
export class AnswerBody {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** False when that is more than is read of any answer. */
  add(chunk: Uint8Array): boolean {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > LONGEST_ANSWER_BYTES) return false;
    this.#chunks.push(chunk);
    return true;
  }

  text(): string {
    const [first] = this.#chunks;
    return utf8.decode(this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks));
  }
}
