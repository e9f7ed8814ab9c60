/** Amounts are exact, and statements tie: by cases and for random statements. */
import {
  array,
  asyncProperty,
  bigInt,
  check,
  constantFrom,
  assert as fcAssert,
  record,
} from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  balance,
  camt053,
  entry,
  itemsOfKind,
  statementFile,
  statementOf,
  summaryOf,
} from './support.ts'

const balances = (opening: string, closing: string) =>
  balance('OPBD', opening) + balance('CLBD', closing)

/** An exact amount with two decimals. */
function decimal(cents: bigint): string {
  const text = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`
}

describe('amounts', () => {
  test.each([
    ['474.4', 47_440n],
    ['20000', 2_000_000n],
    ['1.10', 110n],
    ['1.1000', 110n],
    ['0', 0n],
    ['.5', 50n],
    ['5.', 500n],
    ['+5', 500n],
    [' 5.05 ', 505n],
    ['0.29', 29n],
    ['9999999999999999.99', 999_999_999_999_999_999n],
  ])('%s', async (text, cents) => {
    const { credits } = await summaryOf(statementFile(entry(text)))
    expect(credits).toEqual(new Map([['EUR', cents]]))
  })

  test.each(['1.001', '1e3', '1,00', '', '.', '0x10', '1 000', 'NaN', '12345678901234567.00', '١'])(
    '"%s" is refused',
    async text => {
      const summary = await summaryOf(statementFile(entry('7'), entry(text)))
      expect(summary).toMatchObject({ readable: false, entries: 0, credits: new Map() })
      expect(summary.reason).toMatch(/Line \d+: the amount of Ntry is "/)
    },
  )

  test('a negative amount is refused', async () => {
    const { reason } = await summaryOf(statementFile(entry('5').replace('>5<', '>-5<')))
    expect(reason).toMatch(/the amount of Ntry is "-5"/)
  })

  test('an amount needs its currency, its sign and to be there only once', async () => {
    const one = entry('5')
    for (const [wrong, reason] of [
      [one.replace(' Ccy="EUR"', ''), /no currency/],
      [one.replace('EUR', 'Euro'), /no currency of three letters/],
      [one.replace('CRDT', 'CREDIT'), /neither credit \(CRDT\) nor debit \(DBIT\)/],
      [one.replace('<CdtDbtInd>CRDT</CdtDbtInd>', ''), /neither credit/],
      [one.replace(/<Amt.*Amt>/, ''), /Ntry has no amount/],
      [one.replace(/(<Amt.*Amt>)/, '$1$1'), /Amt appears twice in Ntry/],
    ] as const) {
      expect(await summaryOf(statementFile(wrong))).toMatchObject({
        readable: false,
        reason: expect.stringMatching(reason),
      })
    }
  })

  test('random statements sum exactly and tie', async () => {
    const cents = bigInt({ min: -(10n ** 15n), max: 10n ** 15n })
    const row = record({
      amount: cents,
      state: constantFrom('BOOK', 'BOOK', 'PDNG', 'INFO'),
      currency: constantFrom('EUR', 'SEK'),
    })
    const property = asyncProperty(array(row, { maxLength: 60 }), cents, async (rows, opening) => {
      const of = (currency: string) => rows.filter(one => one.currency === currency)
      const sum = (some: typeof rows) => some.reduce((total, { amount }) => total + amount, 0n)
      const closing = (currency: string, from: bigint) =>
        decimal(from + sum(of(currency).filter(one => one.state === 'BOOK')))
      const summary = await summaryOf(
        statementFile(
          balance('OPBD', decimal(opening)),
          balance('CLBD', closing('EUR', opening)),
          balance('PRCD', '0', 'SEK'),
          balance('CLBD', closing('SEK', 0n), 'SEK'),
          ...rows.map(one => entry(decimal(one.amount), one.state, { currency: one.currency })),
        ),
      )
      expect(summary).toMatchObject({ accepted: true, entries: rows.length, warnings: [] })
      for (const currency of ['EUR', 'SEK']) {
        const [credits, debits] = [summary.credits, summary.debits].map(s => s.get(currency) ?? 0n)
        expect(credits! - debits!).toBe(sum(of(currency)))
        expect(credits).toBe(sum(of(currency).filter(({ amount }) => amount > 0n)))
      }
    })
    await fcAssert(property, { numRuns: 200 })
  })

  test('random decimals of other forms are refused or exact', async () => {
    const parts = array(constantFrom(...'0123456789.+-e, '), { minLength: 1, maxLength: 8 })
    const property = asyncProperty(parts, async characters => {
      const text = characters.join('')
      const { readable, credits } = await summaryOf(
        statementFile(entry('1').replace('>1<', `>${text}<`)),
      )
      const exact = /^ *\+?(\d+\.?\d*|\.\d+) *$/.test(text) && /^[^.]*(\.\d?\d?0*)? *$/.test(text)
      expect(readable).toBe(exact)
      if (exact) expect(credits.get('EUR')).toBe(BigInt(Math.round(Number(text) * 100)))
    })
    expect((await check(property, { numRuns: 1_000 })).counterexample).toBeNull()
  })
})

describe('tie-out', () => {
  test('a statement that ties is accepted', async () => {
    const file = statementFile(balances('10', '3'), entry('2.5'), entry('-9.50'))
    expect(await summaryOf(file)).toMatchObject({ accepted: true, reason: null, warnings: [] })
  })

  test('a statement that is a cent off is read and not accepted', async () => {
    const file = statementFile(balances('10', '3.01'), entry('2.5'), entry('-9.50'))
    expect(await summaryOf(file)).toMatchObject({
      readable: true,
      accepted: false,
      reason:
        'Statement 1 (S1) does not tie: opening balance 10.00 plus booked entries -7.00 is ' +
        '3.00 EUR, but the closing balance is 3.01 EUR.',
      credits: new Map([['EUR', 250n]]),
      debits: new Map([['EUR', 950n]]),
    })
  })

  test('only booked entries count, but all are summed', async () => {
    const file = statementFile(
      balances('0', '1'),
      entry('1'),
      entry('8', 'PDNG'),
      entry('4', 'INFO'),
    )
    expect(await summaryOf(file)).toMatchObject({
      accepted: true,
      entries: 3,
      booked_entries: 1,
      credits: new Map([['EUR', 1_300n]]),
    })
  })

  test('a reversal has the sign that it says', async () => {
    const reversal = { reversal: 'true' }
    const file = statementFile(
      balances('0', '-3'),
      entry('1', 'BOOK', reversal),
      entry('-4', 'BOOK', reversal),
    )
    expect(await summaryOf(file)).toMatchObject({
      accepted: true,
      credits: new Map([['EUR', 100n]]),
      debits: new Map([['EUR', 400n]]),
    })
    const [first] = await itemsOfKind(file, 'entry')
    expect(first!.entry).toMatchObject({ is_reversal: true, sign: 'CRDT' })
  })

  test('each statement ties by itself, and the one that does not is named', async () => {
    const file = camt053(
      statementOf(balances('0', '1') + entry('1'), 'A'),
      statementOf(balances('1', '1') + entry('1'), 'B'),
      statementOf(balances('2', '2'), 'C'),
    )
    const { reason, statements } = await summaryOf(file)
    expect(statements).toBe(3)
    expect(reason).toMatch(/^Statement 2 \(B\) does not tie/)
    expect(reason).not.toMatch(/\((A|C)\)/)
  })

  test('PRCD is the opening balance only without OPBD', async () => {
    const previous = balance('PRCD', '7')
    const only = statementFile(previous, balance('CLBD', '8'), entry('1'))
    expect(await summaryOf(only)).toMatchObject({ accepted: true, warnings: [] })
    const both = statementFile(previous, balances('5', '6'), entry('1'))
    expect(await summaryOf(both)).toMatchObject({ accepted: true })
  })

  test('over several days the first opening and the last closing balance count', async () => {
    const file = statementFile(
      balance('CLBD', '3', 'EUR', '2026-11-03'),
      balance('OPBD', '2', 'EUR', '2026-11-03'),
      balance('CLBD', '2', 'EUR', '2026-11-02'),
      balance('OPBD', '1', 'EUR', '2026-11-02'),
      entry('1'),
      entry('1'),
    )
    expect(await summaryOf(file)).toMatchObject({ accepted: true, warnings: [] })
  })

  test.each([
    ['closing', balance('OPBD', '1')],
    ['opening', balance('CLBD', '1')],
    ['opening and no closing', balance('CLAV', '1')],
    ['opening and no closing', ''],
  ])('without %s balance it is accepted and marked', async (missing, content) => {
    const summary = await summaryOf(statementFile(content, entry('1')))
    expect(summary).toMatchObject({ accepted: true, entries: 1 })
    expect(summary.warnings).toContain(
      `Statement 1 (S1) is not tied in EUR: it has no ${missing} balance`,
    )
  })

  test('with balances in one currency, entries in another do not tie', async () => {
    const file = statementFile(balances('0', '0'), entry('1', 'BOOK', { currency: 'USD' }))
    expect(await summaryOf(file)).toMatchObject({
      accepted: false,
      reason:
        'Statement 1 (S1) does not tie in USD: it has no opening and no closing balance in that ' +
        'currency.',
    })
  })

  test('balances may follow the entries, with a warning', async () => {
    const file = statementFile(entry('1'), balances('0', '2'))
    const summary = await summaryOf(file)
    expect(summary).toMatchObject({ accepted: false, reason: expect.stringContaining('is 1.00') })
    expect(summary.warnings[0]).toMatch(/^Bal comes after Ntry in Stmt \(line 2, 2 times\)$/)
  })

  test('many faults are named only in part', async () => {
    const wrong = statementOf(balances('0', '1'))
    const untied = statementOf(entry('1'))
    const file = camt053(...Array(50).fill(wrong), ...Array(50).fill(untied))
    const { reason, warnings } = await summaryOf(file)
    expect(reason).toMatch(/30 more statements do not tie\.$/)
    expect(warnings.at(-1)).toBe('30 more statements are not tied')
  })
})

describe('several balances of a type', () => {
  const between = (type: string, amount: string) =>
    balance(type, amount).replace('</CdOrPrtry>', '</CdOrPrtry><SubTp><Cd>INTM</Cd></SubTp>')

  test.each(['opening', 'closing'])('two different %s balances do not tie', async which => {
    const more = which === 'opening' ? balance('OPBD', '999') : balance('CLBD', '777')
    const orders = [`${balances('10', '15')}${more}`, `${more}${balances('10', '15')}`]
    for (const order of orders) {
      const { accepted, reason } = await summaryOf(statementFile(order, entry('5')))
      expect(accepted).toBe(false)
      expect(reason).toContain(`two different ${which} balances`)
    }
  })

  test('the same balance twice ties', async () => {
    const twice = balances('10', '15').repeat(2)
    expect(await summaryOf(statementFile(twice, entry('5')))).toMatchObject({ accepted: true })
  })

  test('balances between pages count only where there are no others', async () => {
    const whole = balances('10', '15')
    const pages = between('CLBD', '12') + between('OPBD', '12')
    expect(await summaryOf(statementFile(whole + pages, entry('5')))).toMatchObject({
      accepted: true,
    })
    const page = between('OPBD', '10') + between('CLBD', '15')
    expect(await summaryOf(statementFile(page, entry('5')))).toMatchObject({ accepted: true })
    expect(await summaryOf(statementFile(page, entry('6')))).toMatchObject({ accepted: false })
  })
})
