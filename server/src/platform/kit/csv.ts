/** Writes comma-separated values (RFC 4180). */

export function csvLine(texts: readonly string[]): string {
  return `${texts.map(field).join(',')}\r\n`
}

/** Prefixes text that a spreadsheet would run as a formula; leaves negative numbers as they are. */
function field(text: string): string {
  const safe = /^[=+@\t\r]|^-(?!\d+(\.\d+)?$)/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
