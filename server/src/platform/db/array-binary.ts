/**
 * Encodes arrays of ids and of cents in PostgreSQL's binary format. Pure. Set-wise writes pass
 * thousands of ids, which PostgreSQL parses slowly as text.
 */

interface Element {
  readonly oid: number
  readonly bytes: number
  /** Writes an element. Returns false if it cannot be encoded: the array is then sent as text. */
  readonly write: (element: unknown, into: Buffer, at: number) => boolean
}

const ELEMENTS: Record<string, Element> = {
  uuid: { oid: 2950, bytes: 16, write: writeUuid },
  bigint: { oid: 20, bytes: 8, write: writeBigint },
}

/** The parameters that a statement casts to `uuid[]` or `bigint[]`, by index. */
export type ArrayCasts = readonly (readonly [index: number, element: Element])[]

export function arrayCasts(text: string): ArrayCasts {
  return [...text.matchAll(/\$(\d+)::(uuid|bigint)\[\]/g)].map(([, n, type]) => [
    Number(n) - 1,
    ELEMENTS[type!]!,
  ])
}

const HEADER = 20

/** The array in PostgreSQL's binary format; undefined when an element cannot be encoded. */
export function arrayBinary(elements: readonly unknown[], element: Element): Buffer | undefined {
  const { oid, bytes, write } = element
  const binary = Buffer.allocUnsafe(HEADER + elements.length * (4 + bytes))
  // One dimension with lower bound 1; none for an empty array.
  binary.writeInt32BE(elements.length > 0 ? 1 : 0, 0)
  binary.writeInt32BE(oid, 8)
  binary.writeInt32BE(elements.length, 12)
  binary.writeInt32BE(1, 16)
  let at = HEADER
  let nulls = 0
  for (const one of elements) {
    const isNull = one === null
    if (isNull) nulls = 1
    else if (!write(one, binary, at + 4)) return undefined
    binary.writeInt32BE(isNull ? -1 : bytes, at)
    at += isNull ? 4 : 4 + bytes
  }
  binary.writeInt32BE(nulls, 4)
  return binary.subarray(0, elements.length > 0 ? at : 12)
}

const DASH = 45
/** The value of each hexadecimal digit by character code; 255 for other characters. */
const DIGITS = new Uint8Array(128).fill(255)
for (let n = 0; n < 16; n++) {
  DIGITS[n.toString(16).charCodeAt(0)] = n
  DIGITS[n.toString(16).toUpperCase().charCodeAt(0)] = n
}

/** Expects 8-4-4-4-12 hexadecimal digits. */
function writeUuid(id: unknown, into: Buffer, at: number): boolean {
  if (typeof id !== 'string' || id.length !== 36) return false
  let end = at
  for (let i = 0; i < 36; i += 2) {
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      if (id.charCodeAt(i) !== DASH) return false
      i += 1
    }
    const high = DIGITS[id.charCodeAt(i)]!
    const low = DIGITS[id.charCodeAt(i + 1)]!
    // Written so that undefined, from a character beyond the table, fails too.
    if (!(high < 16 && low < 16)) return false
    into[end++] = high * 16 + low
  }
  return end === at + 16
}

const WORD = 2 ** 32

function writeBigint(cents: unknown, into: Buffer, at: number): boolean {
  const whole = typeof cents === 'bigint' ? Number(cents) : cents
  if (!Number.isSafeInteger(whole)) return false
  into.writeInt32BE(Math.floor((whole as number) / WORD), at)
  into.writeUInt32BE((whole as number) >>> 0, at + 4)
  return true
}
