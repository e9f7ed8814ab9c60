/** Signed addresses of documents: anyone with the link can read the document for a short time. */
import type { Settings } from '../../platform/db/settings.ts'
import {
  checkSignedAddress,
  type SignedPath,
  signedAddress,
} from '../../platform/kit/signed-address.ts'

const SIGNED_PATH: SignedPath = { path: 'document', valid_seconds: 15 * 60 }

/** A document's address, valid for 15 minutes of real time (a sandbox's clock may jump). */
export function documentAddress(settings: Settings, id: string, now: Date = new Date()): string {
  return signedAddress(settings, SIGNED_PATH, id, now)
}

/** Throws `signature_invalid` unless we signed the address and it has not expired. */
export function checkAddress(
  settings: Settings,
  id: string,
  given: { expires: number; signature: string },
  now: Date = new Date(),
): void {
  checkSignedAddress(settings, SIGNED_PATH, id, given, now)
}
