/** What is read of statements and notifications: amounts, tie-out, entries and their details. */
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
  ACCOUNT,
  balance,
  camt053,
  document,
  entry,
  HEADER,
  itemsOf,
  itemsOfKind,
  statementFile,
  statementOf,
  summaryOf,
  withDetails,
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
    const unclear = statementFile(entry('1', 'BOOK', { reversal: 'maybe' }))
    expect((await summaryOf(unclear)).reason).toMatch(/RvslInd is neither true nor false/)
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

describe('statements and entries', () => {
  test('a statement comes before its entries, and an entry after its details', async () => {
    const file = statementFile(balances('0', '5'), entry('5', 'BOOK', withDetails('', '')))
    const kinds = (await itemsOf(file)).map(item => item.kind)
    expect(kinds).toEqual([
      'message',
      'header',
      'statement',
      'detail',
      'detail',
      'entry',
      'statement_end',
      'end',
    ])
  })

  test('places are counted from 1 in the statement and in the entry', async () => {
    const file = camt053(
      statementOf(entry('1')),
      statementOf(entry('1') + entry('1', 'BOOK', withDetails('', ''))),
    )
    const entries = (await itemsOfKind(file, 'entry')).map(item => item.entry)
    expect(entries.map(one => [one.statement_place, one.place, one.details])).toEqual([
      [1, 1, 0],
      [2, 1, 0],
      [2, 2, 2],
    ])
    const details = (await itemsOfKind(file, 'detail')).map(item => item.detail)
    expect(details.map(one => [one.statement_place, one.entry_place, one.place])).toEqual([
      [2, 2, 1],
      [2, 2, 2],
    ])
  })

  test('an account named only after the entries refuses the file', async () => {
    const file = statementFile(entry('1'))
      .replace(ACCOUNT, '')
      .replace('</Stmt>', `${ACCOUNT}</Stmt>`)
    expect((await summaryOf(file)).reason).toMatch(/only after its first entry/)
  })

  test('the statement and its balances', async () => {
    const content =
      '<Id>S1</Id><StmtPgntn><PgNb>2</PgNb><LastPgInd>false</LastPgInd></StmtPgntn>' +
      '<ElctrncSeqNb>120</ElctrncSeqNb><LglSeqNb>97</LglSeqNb><FrToDt>' +
      '<FrDtTm>2026-11-01T00:00:00</FrDtTm><ToDtTm>2026-11-01T23:59:59</ToDtTm></FrToDt>' +
      '<CpyDplctInd>DUPL</CpyDplctInd><Acct><Id><Othr><Id> 740618 </Id></Othr></Id>' +
      `<Ccy>EUR</Ccy></Acct>${balance('OPBD', '-1.5')}`
    const file = document(
      'camt.053.001.08',
      `<BkToCstmrStmt>${HEADER}<Stmt>${content}</Stmt></BkToCstmrStmt>`,
    )
    const [end] = await itemsOfKind(file, 'statement_end')
    expect(end!.statement).toEqual({
      place: 1,
      id: 'S1',
      account: { name: null, iban: null, account: '740618', bic: null },
      currency: 'EUR',
      electronic_number: '120',
      legal_number: '97',
      page: '2',
      is_last_page: false,
      created_at: null,
      from: '2026-11-01T00:00:00',
      to: '2026-11-01T23:59:59',
      copy: 'DUPL',
    })
    expect(end!.balances).toEqual([
      { type: 'OPBD', subtype: null, currency: 'EUR', cents: -150n, on: '2026-11-01' },
    ])
  })

  test('a notification has no balances and is not tied', async () => {
    const notification = statementOf(entry('5')).replaceAll('Stmt>', 'Ntfctn>')
    const file = document(
      'camt.054.001.04',
      `<BkToCstmrDbtCdtNtfctn>${HEADER}${notification}</BkToCstmrDbtCdtNtfctn>`,
    )
    expect(await summaryOf(file)).toMatchObject({
      message: 'camt.054.001.04',
      accepted: true,
      statements: 1,
      entries: 1,
      warnings: [],
    })
  })

  test('an entry with charges, a batch and a status in an element', async () => {
    const file = statementFile(
      entry('-4.50', '<Cd>BOOK</Cd>', {
        rest:
          '<AmtDtls><InstdAmt><Amt Ccy="USD">5</Amt></InstdAmt></AmtDtls>' +
          '<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">0.3</TtlChrgsAndTaxAmt><Rcrd>' +
          '<Amt Ccy="EUR">0.30</Amt><CdtDbtInd>DBIT</CdtDbtInd><ChrgInclInd>1</ChrgInclInd>' +
          '<Tp><Prtry><Id>R-FEE</Id></Prtry></Tp><Br>SHAR</Br></Rcrd></Chrgs><NtryDtls><Btch>' +
          '<MsgId>M</MsgId><PmtInfId>P</PmtInfId><NbOfTxs>4</NbOfTxs></Btch></NtryDtls>' +
          '<AddtlNtryInf>SEPA</AddtlNtryInf>',
      }),
    )
    const [item] = await itemsOfKind(file, 'entry')
    expect(item!.entry).toMatchObject({
      amount: { currency: 'EUR', cents: 450n },
      sign: 'DBIT',
      status: 'BOOK',
      booked_on: '2026-11-01',
      value_on: '2026-11-02',
      code: { domain: 'PMNT', family: 'RCDT', subfamily: 'ESCT', proprietary: null, issuer: null },
      amounts: { instructed: { currency: 'USD', cents: 500n }, transaction: null },
      charges: {
        total: { currency: 'EUR', cents: 30n },
        records: [
          {
            amount: { currency: 'EUR', cents: 30n },
            sign: 'DBIT',
            included: true,
            type: 'R-FEE',
            bearer: 'SHAR',
          },
        ],
      },
      batches: [{ message_id: 'M', payment_information_id: 'P', transactions: '4' }],
      text: 'SEPA',
      return: null,
    })
  })
})

describe('details', () => {
  const detailOf = async (content: string) => {
    const [item] = await itemsOfKind(
      statementFile(entry('1', 'BOOK', withDetails(content))),
      'detail',
    )
    return item!.detail
  }

  test('references, parties and remittance of a direct debit', async () => {
    const detail = await detailOf(
      '<Refs><InstrId>I</InstrId><EndToEndId>E</EndToEndId><MndtId>R</MndtId></Refs>' +
        '<AmtDtls><TxAmt><Amt Ccy="EUR">1</Amt></TxAmt></AmtDtls><RltdPties>' +
        '<Dbtr><Nm>Ann</Nm></Dbtr><DbtrAcct><Id><IBAN>nl00 abna 0417164300</IBAN></Id></DbtrAcct>' +
        '<UltmtDbtr><Nm>Bob</Nm></UltmtDbtr><Cdtr><Pty><Nm>Cy</Nm></Pty></Cdtr>' +
        '<UltmtCdtr><Agt><FinInstnId><BICFI>ABNANL2A</BICFI></FinInstnId></Agt></UltmtCdtr>' +
        '</RltdPties><RltdAgts><DbtrAgt><FinInstnId><BIC>INGBNL2A</BIC></FinInstnId></DbtrAgt>' +
        '</RltdAgts><RmtInf><Ustrd>one</Ustrd><Ustrd>two</Ustrd><Strd><RfrdDocInf><Nb>F1</Nb>' +
        '</RfrdDocInf><CdtrRefInf><Tp><CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry><Issr>ISO</Issr></Tp>' +
        '<Ref>RF18539007547034</Ref></CdtrRefInf></Strd></RmtInf>',
    )
    expect(detail).toMatchObject({
      instruction_id: 'I',
      end_to_end_id: 'E',
      mandate_id: 'R',
      uetr: null,
      amount: { currency: 'EUR', cents: 100n },
      debtor: { name: 'Ann', iban: 'NL00ABNA0417164300', account: null, bic: 'INGBNL2A' },
      ultimate_debtor: { name: 'Bob' },
      creditor: { name: 'Cy' },
      ultimate_creditor: { name: null, bic: 'ABNANL2A' },
      initiating_party: null,
      remittance: {
        lines: ['one', 'two'],
        text: 'one two',
        references: [
          {
            reference: 'RF18539007547034',
            type: 'SCOR',
            issuer: 'ISO',
            document_numbers: ['F1'],
            lines: [],
          },
        ],
      },
      return: null,
    })
  })

  test('an amount in another currency that is not whole hundredths is left out', async () => {
    const amount = (currency: string) =>
      `<AmtDtls><TxAmt><Amt Ccy="${currency}">1.234</Amt></TxAmt></AmtDtls>`
    const file = (currency: string) =>
      statementFile(entry('1', 'BOOK', withDetails(amount(currency))))
    expect((await detailOf(amount('TND'))).amount).toBeNull()
    const left = await summaryOf(file('TND'))
    expect(left.accepted).toBe(true)
    expect(left.warnings[0]).toMatch(/^Amt is left out/)
    expect((await summaryOf(file('EUR'))).readable).toBe(false)
  })

  test.each([
    ['its code', '<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>', 'AC04'],
    ["the bank's own code", '<RtrInf><Rsn><Prtry>914</Prtry></Rsn></RtrInf>', '914'],
    ['more information', '<RtrInf><AddtlInf>Reason MD01 given</AddtlInf></RtrInf>', 'MD01'],
    ['the text', '<RtrInf/><AddtlTxInf>Return, MS03</AddtlTxInf>', 'MS03'],
    ['nowhere', '<RtrInf/><AddtlTxInf>ACCOUNT</AddtlTxInf>', null],
  ])('the reason of a return is in %s', async (_, content, code) => {
    expect((await detailOf(content)).return).toMatchObject({ stated: true, code })
    const { returns } = await summaryOf(statementFile(entry('1', 'BOOK', withDetails(content))))
    expect(returns).toBe(1)
  })

  test('a return that only the transaction code means is marked, and not counted', async () => {
    const code =
      '<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>IDDT</Cd><SubFmlyCd>UPDD</SubFmlyCd></Fmly></Domn></BkTxCd>'
    const remittance = '<RmtInf><Ustrd>RETURNED AM04</Ustrd></RmtInf>'
    expect((await detailOf(code + remittance)).return).toMatchObject({
      stated: false,
      code: 'AM04',
    })
    const file = statementFile(entry('-1', 'BOOK', withDetails(code + remittance)))
    expect((await summaryOf(file)).returns).toBe(0)
  })

  test("a return of the entry counts once, or as its details' returns", async () => {
    const stated = '<RtrInf><Rsn><Cd>AM04</Cd></Rsn></RtrInf>'
    const only = statementFile(entry('-1', 'BOOK', { rest: `<NtryDtls>${stated}</NtryDtls>` }))
    expect((await summaryOf(only)).returns).toBe(1)
    const above = statementFile(entry('-1', 'BOOK', { rest: stated }), entry('1'))
    expect((await summaryOf(above)).returns).toBe(1)
    const details = withDetails(stated, stated)
    const both = statementFile(entry('-1', 'BOOK', { rest: stated + details.rest }), entry('1'))
    expect((await summaryOf(both)).returns).toBe(2)
  })
})

describe('what a schema refuses and we read', () => {
  const uetr = '<Refs><UETR>d0826d0f-a005-5e3b-b3dc-54da4ac7f0d0</UETR></Refs>'
  test.each([
    [
      'order',
      entry('1').replace(/(<Amt.*Amt>)(<CdtDbtInd>.*<\/CdtDbtInd>)/, '$2$1'),
      'Amt comes after CdtDbtInd in Ntry',
    ],
    [
      'an empty code',
      entry('1', 'BOOK', { code: '<BkTxCd><Prtry><Cd/></Prtry></BkTxCd>' }),
      'Cd is empty',
    ],
    ['a missing element', entry('1', 'BOOK', { code: '' }), 'Ntry lacks BkTxCd'],
    ['a missing status', entry('1').replace('<Sts>BOOK</Sts>', ''), 'Ntry lacks Sts'],
    [
      'an unknown element',
      entry('1', 'BOOK', { rest: '<Foo><Bar/></Foo>' }),
      'Foo in Ntry is not in the schema',
    ],
    [
      'text between elements',
      entry('1', 'BOOK', { rest: 'x' }),
      'Ntry has text between its elements',
    ],
    ['a UETR of version 5', entry('1', 'BOOK', withDetails(uetr)), 'UETR is no UUID of version 4'],
    ['a date that is none', entry('1').replace('2026-11-01', '2026-02-30'), 'BookgDt is no date'],
  ])('%s', async (_, one, warning) => {
    const summary = await summaryOf(statementFile(balances('0', '1'), one))
    expect(summary).toMatchObject({ readable: true, entries: 1, credits: new Map([['EUR', 100n]]) })
    expect(summary.warnings).toEqual([`${warning} (line 2)`])
  })

  test('hundreds of kinds of warnings are counted', async () => {
    const unknown = Array.from({ length: 300 }, (_, i) => `<X${i}/>`).join('')
    const { warnings } = await summaryOf(statementFile(entry('1', 'BOOK', { rest: unknown })))
    expect(warnings.length).toBeLessThanOrEqual(102)
    // One of them is that the statement has no balance.
    expect(warnings).toContain('201 more warnings')
  })
})
