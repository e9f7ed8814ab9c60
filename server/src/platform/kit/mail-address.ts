/** Recognizes e-mail addresses. */

const NO_SPECIALS = String.raw`[^\s\p{Cc}@<>()[\]\\,;:"]`
const ADDRESS = new RegExp(`^${NO_SPECIALS}+@${NO_SPECIALS}+$`, 'u')

/** Whether a text is a bare address: no name, quotes, list, or anything else special in headers. */
export function isMailAddress(text: string): boolean {
  return ADDRESS.test(text)
}
