/** Builds a CSV file (RFC 4180) from a list, in the browser. */
interface CsvColumn<Row> {
  readonly header: string
  readonly text: (row: Row) => string
  readonly csv?: (row: Row) => string
}

/**
 * Quotes a cell where needed. A leading apostrophe keeps a spreadsheet from running text as a
 * formula.
 */
function cell(text: string): string {
  const tame = /^[=+\-@\t\r]/.test(text) && !/^-?[\d\s.,]+$/.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(tame) ? `"${tame.replaceAll('"', '""')}"` : tame
}

/** Downloads the rows as a file named after the list. */
export function saveCsv<Row>(
  name: string,
  columns: readonly CsvColumn<Row>[],
  rows: readonly Row[],
): void {
  const lines = [
    columns.map(column => cell(column.header)),
    ...rows.map(row => columns.map(column => cell((column.csv ?? column.text)(row)))),
  ]
  const text = `\ufeff${lines.map(line => line.join(',')).join('\r\n')}\r\n`
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  link.download = `${name.toLowerCase().replaceAll(' ', '-')}.csv`
  link.click()
  URL.revokeObjectURL(link.href)
}
