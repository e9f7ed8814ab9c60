/** Signed addresses of documents: whoever has one may read that document, for a short while. */
import type { Settings } from '../db/settings.ts'
import { hmacSign, hmacVerify } from '../kit/crypto.ts'
import { problem } from '../kit/problem.ts'

const VALID_SECONDS = 15 * 60

/** The address of a document for the next 15 minutes of real time (a sandbox's clock may jump). */
export function documentAddress(settings: Settings, id: string, now: Date = new Date()): string {
  const expires = Math.floor(now.getTime() / 1000) + VALID_SECONDS
  const signature = hmacSign(signedText(id, expires), keyOf(settings))
  return `${settings.base_url}/document/${id}?expires=${expires}&signature=${signature}`
}

/** Throws `signature_invalid` unless the address is one that we gave out and has not expired. */
export function checkAddress(
  settings: Settings,
  id: string,
  given: { expires: number; signature: string },
  now: Date = new Date(),
): void {
  const valid = hmacVerify(signedText(id, given.expires), given.signature, keyOf(settings))
  if (!valid) throw problem('signature_invalid', 'The signature is not that of this address.')
  if (given.expires * 1000 <= now.getTime()) throw problem('signature_invalid')
}

function signedText(id: string, expires: number): string {
  return `document:${id.toLowerCase()}:${expires}`
}

function keyOf(settings: Settings): Buffer {
  return Buffer.from(settings.secret, 'hex')
}
