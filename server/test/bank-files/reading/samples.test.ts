/** Files written by banks and other projects give the counts and sums that their index lists. */
import { expect, test } from 'vitest'
import { summarizeBankFile } from '../../../src/integrations/bank-files/index.ts'
import { hasSamples, inPieces, itemsOfKind, sample, summaryOf } from './support.ts'

interface Row {
  readonly file: string
  readonly version: string
  readonly valid: string
  readonly entries: string
  readonly credits: string
  readonly debits: string
  readonly notable: string
}

function rows(): Row[] {
  if (!hasSamples) return []
  const lines = sample('index.md').toString('utf8').split('\n')
  return lines.flatMap(line => {
    const [, file, version, valid, , , entries, credits, debits, notable] = line.split(/ *\| */)
    if (!file?.startsWith('`')) return []
    const name = file.replaceAll('`', '')
    return [
      {
        file: name,
        version: version!,
        valid: valid!,
        entries: entries!,
        credits: credits!,
        debits: debits!,
        notable: notable!,
      },
    ]
  })
}

/** "EUR 100" or "0" as the summary has it. */
function sums(cell: string): Map<string, bigint> {
  const [, currency, cents] = /^([A-Z]{3}) (\d+)$/.exec(cell) ?? []
  return new Map(currency ? [[currency, BigInt(cents!)]] : [])
}

const numberIn = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0)

const files = rows()

test.skipIf(!hasSamples)('the index lists 25 files', () => {
  expect(files).toHaveLength(25)
})

test.skipIf(!hasSamples).for(files)('$file', async row => {
  const bytes = sample(row.file)
  const summary = await summaryOf(bytes)
  const camt = row.version.startsWith('camt')
  expect(summary).toMatchObject({
    message: row.version,
    readable: true,
    statements: camt ? numberIn(row.notable, /\((?:.*; )?(\d+) statement/) : 0,
    entries: Number.parseInt(row.entries, 10),
    credits: sums(row.credits),
    debits: sums(row.debits),
    details: numberIn(row.notable, /(\d+) TxDtls[;)]/),
    returns: /return reasons (.*?);/.exec(row.notable)?.[1]?.split(', ').length ?? 0,
  })
  expect(summary.booked_entries).toBe(camt ? summary.entries : 0)
  expect(summary.accepted).toBe(!/balances do not tie/.test(row.notable))
  expect(summary.reason === null).toBe(summary.accepted)
  // One byte at a time, every tag and character is cut.
  expect(await summarizeBankFile(inPieces(bytes, 1))).toEqual(summary)
})

test.skipIf(!hasSamples).for(files)('$file: warnings are what its schema refuses', async row => {
  const { warnings } = await summaryOf(sample(row.file))
  const ties = warnings.filter(warning => warning.includes('is not tied'))
  expect(warnings.length > ties.length).toBe(row.valid === 'no')
  expect(ties.length > 0).toBe(/cannot be tied|no balance and/.test(row.notable))
})

test.skipIf(!hasSamples)('what the ING file says of its returns', async () => {
  const details = await itemsOfKind(sample('camt053-02-ing-nl.xml'), 'detail')
  const returns = details.flatMap(({ detail }) => detail.return ?? [])
  expect(returns.map(one => one.code)).toEqual(['AC04', 'MD06'])
  const issuers = details.flatMap(({ detail }) => detail.remittance.references)
  expect(issuers).toContainEqual(
    expect.objectContaining({ type: 'SCOR', issuer: 'CUR', reference: '6390338414964113' }),
  )
})

test.skipIf(!hasSamples)('text that the Nordea file cuts in a word is joined', async () => {
  const details = await itemsOfKind(sample('camt053-02-nordea-fi.xml'), 'detail')
  expect(details.map(({ detail }) => detail.remittance.text)).toContain(
    'Free text max 140 characters and max 35 characters in one line',
  )
})
