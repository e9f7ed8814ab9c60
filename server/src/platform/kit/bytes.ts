/** Collects bytes arriving in chunks of any size into one growing buffer. */
const FIRST_BYTES = 4 * 1024
/**
 * Up to this size, the buffer only doubles. An expected length is not trusted before that, because
 * the sender may never send that much.
 */
const DOUBLED_BYTES_MAX = 512 * 1024

export class Bytes {
  readonly #expected: number
  #buffer: Buffer = Buffer.alloc(0)
  #length = 0

  /**
   * Above `DOUBLED_BYTES_MAX`, the buffer grows to the expected length at once, if there is one.
   */
  constructor(expected = 0) {
    this.#expected = expected
  }

  get length(): number {
    return this.#length
  }

  push(piece: Buffer): void {
    const length = this.#length + piece.length
    if (length > this.#buffer.length) this.#grow(length)
    piece.copy(this.#buffer, this.#length)
    this.#length = length
  }

  /** Everything received so far; later pushes do not change the result. */
  all(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  #grow(length: number): void {
    const doubled = Math.max(length, 2 * this.#buffer.length, FIRST_BYTES)
    const isExpected = doubled > DOUBLED_BYTES_MAX && this.#expected >= length
    const larger = Buffer.allocUnsafe(isExpected ? this.#expected : doubled)
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}
