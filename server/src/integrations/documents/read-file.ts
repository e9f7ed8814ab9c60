/** Decodes uploaded files and detects their type by their first bytes. Pure. */

export type FileResult =
  | { readonly ok: true; readonly media_type: string; readonly content: Buffer }
  | { readonly ok: false; readonly reason: string }

const BYTES_MAX = 10_000_000

const KINDS: readonly (readonly [media_type: string, start: string])[] = [
  ['application/pdf', '255044462d'],
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ff'],
]

/** Reads base64 or base64url. Accepts PDF, PNG and JPEG files. */
export function readFile(base64: string): FileResult {
  const content = Buffer.from(base64, 'base64')
  if (content.length === 0) return { ok: false, reason: 'is empty' }
  if (content.length > BYTES_MAX) {
    return { ok: false, reason: `is larger than ${BYTES_MAX / 1_000_000} MB` }
  }
  const start = content.subarray(0, 8).toString('hex')
  const kind = KINDS.find(([, mark]) => start.startsWith(mark))
  if (!kind) return { ok: false, reason: 'is neither a PDF nor a PNG or JPEG image' }
  return { ok: true, media_type: kind[0], content }
}
