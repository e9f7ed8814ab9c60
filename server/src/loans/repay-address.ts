/** Signed addresses of the pages to repay by: good for a day, for whoever has one. */
import type { Settings } from '../db/settings.ts'
import { hmacSign, hmacVerify } from '../kit/crypto.ts'
import { problem } from '../kit/problem.ts'

const VALID_SECONDS = 24 * 60 * 60

/** The address for the next 24 hours of real time (a sandbox's clock may jump). */
export function repayAddress(settings: Settings, id: string, now: Date = new Date()): string {
  const expires = Math.floor(now.getTime() / 1000) + VALID_SECONDS
  const signature = hmacSign(signedText(id, expires), keyOf(settings))
  return `${settings.base_url}/repay/${id}?expires=${expires}&signature=${signature}`
}

/** Throws `signature_invalid` unless we gave the address out and it has not expired. */
export function checkRepayAddress(
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
  return `repay:${id.toLowerCase()}:${expires}`
}

function keyOf(settings: Settings): Buffer {
  return Buffer.from(settings.secret, 'hex')
}
