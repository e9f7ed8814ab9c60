/** Signed addresses of documents: whoever has one may read that document, for a short while. */
import type { Settings } from '../../platform/db/settings.ts'
import { checkSignedAddress, type Door, signedAddress } from '../../platform/kit/signed-address.ts'

const DOOR: Door = { path: 'document', valid_seconds: 15 * 60 }

/** The address of a document for the next 15 minutes of real time (a sandbox's clock may jump). */
export function documentAddress(settings: Settings, id: string, now: Date = new Date()): string {
  return signedAddress(settings, DOOR, id, now)
}

/** Throws `signature_invalid` unless the address is one that we gave out and has not expired. */
export function checkAddress(
  settings: Settings,
  id: string,
  given: { expires: number; signature: string },
  now: Date = new Date(),
): void {
  checkSignedAddress(settings, DOOR, id, given, now)
}
