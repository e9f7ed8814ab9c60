/** Signed addresses by which an onboarding is gone on with. */
import type { Settings } from '../../platform/db/settings.ts'
import { hexKey, hmacSign, hmacVerify } from '../../platform/kit/crypto.ts'

/** The address of a session's page. It is good as long as the session can go on. */
export function resumeLink(settings: Settings, id: string): string {
  const signature = hmacSign(signedText(id), hexKey(settings.secret))
  return `${settings.base_url}/onboarding/${id}?signature=${signature}`
}

/** Whether an address is one that we gave out; whether its session goes on is told elsewhere. */
export function isResumeSignature(settings: Settings, id: string, signature: string): boolean {
  return hmacVerify(signedText(id), signature, hexKey(settings.secret))
}

function signedText(id: string): string {
  return `onboarding:${id.toLowerCase()}`
}
