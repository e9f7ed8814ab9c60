/** Signed addresses of the pages to repay by: good for a day, for whoever has one. */
import type { Settings } from '../../platform/db/settings.ts'
import { checkSignedAddress, type Door, signedAddress } from '../../platform/kit/signed-address.ts'

const DOOR: Door = { path: 'repay', valid_seconds: 24 * 60 * 60 }

/** The address for the next 24 hours of real time (a sandbox's clock may jump). */
export function repayAddress(settings: Settings, id: string): string {
  return signedAddress(settings, DOOR, id)
}

/** Throws `signature_invalid` unless we gave the address out and it has not expired. */
export function checkRepayAddress(
  settings: Settings,
  id: string,
  given: { expires: number; signature: string },
): void {
  checkSignedAddress(settings, DOOR, id, given)
}
