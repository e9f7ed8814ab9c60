/** Files of comma-separated values (RFC 4180). */

/** One line of texts, its end included. */
export function csvLine(texts: readonly string[]): string {
  return `${texts.map(field).join(',')}\r\n`
}

/** What a spreadsheet would take for a formula is made a text; a number stays one. */
function field(text: string): string {
  const safe = /^[=+@\t\r]|^-(?!\d+(\.\d+)?$)/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
