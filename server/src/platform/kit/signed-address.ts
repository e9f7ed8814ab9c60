/** Signed addresses: anyone with the link can read the resource until it expires. */
import { hexKey, hmacSign, hmacVerify } from './crypto.ts'
import { problem } from './problem.ts'

/** The deployment issuing addresses: its base URL and its secret in hexadecimal. */
export interface Signer {
  readonly base_url: string
  readonly secret: string
}

/** A kind of signed address: the first segment of its path, and its lifetime. */
export interface SignedPath {
  readonly path: string
  readonly valid_seconds: number
}

/** The signed address of a resource. It expires in real time, since a sandbox's clock may jump. */
export function signedAddress(
  signer: Signer,
  signed: SignedPath,
  id: string,
  now: Date = new Date(),
): string {
  const expires = Math.floor(now.getTime() / 1000) + signed.valid_seconds
  const signature = hmacSign(signedText(signed, id, expires), hexKey(signer.secret))
  return `${signer.base_url}/${signed.path}/${id}?expires=${expires}&signature=${signature}`
}

/** Throws `signature_invalid` unless we signed the address and it has not expired. */
export function checkSignedAddress(
  signer: Signer,
  signed: SignedPath,
  id: string,
  given: { expires: number; signature: string },
  now: Date = new Date(),
): void {
  const text = signedText(signed, id, given.expires)
  const valid = hmacVerify(text, given.signature, hexKey(signer.secret))
  if (!valid) throw problem('signature_invalid', 'The signature is not that of this address.')
  if (given.expires * 1000 <= now.getTime()) throw problem('signature_invalid')
}

/** JSON without the expiry and signature of its addresses, which change when the data does not. */
export function withoutSignatures(json: string): string {
  return json.replaceAll(/\?expires=[^"]*/g, '')
}

function signedText({ path }: SignedPath, id: string, expires: number): string {
  return `${path}:${id.toLowerCase()}:${expires}`
}
