/** Signed URLs of pay-by-link pages. Anyone with the URL can open the page for 24 hours. */
import type { Settings } from '../../platform/db/settings.ts'
import {
  checkSignedAddress,
  type SignedPath,
  signedAddress,
} from '../../platform/kit/signed-address.ts'

const SIGNED_PATH: SignedPath = { path: 'repay', valid_seconds: 24 * 60 * 60 }

/** Returns a URL that is valid for 24 hours of real time, because a sandbox's clock may jump. */
export function repayAddress(settings: Settings, id: string): string {
  return signedAddress(settings, SIGNED_PATH, id)
}

/** Throws `signature_invalid` unless we issued the URL and it has not expired. */
export function checkRepayAddress(
  settings: Settings,
  id: string,
  given: { expires: number; signature: string },
): void {
  checkSignedAddress(settings, SIGNED_PATH, id, given)
}
