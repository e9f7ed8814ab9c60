/** What is read of statements and notifications: entries, their details, and sloppy files. */
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

  test.each([
    ['an entry outside of a statement', entry('1')],
    ['an entry in an unknown element', statementOf(`<Foo>${entry('1')}</Foo>`)],
    [
      'an entry in an element that is not read',
      statementOf(`<TxsSummry>${entry('1')}</TxsSummry>`),
    ],
    ['a transaction outside of its entry', statementOf('<TxDtls/>')],
  ])('but nothing that counts is skipped: %s', async (_, content) => {
    const { reason } = await summaryOf(camt053(content))
    expect(reason).toMatch(/has the element (Ntry|TxDtls) in a place where it would not be read/)
  })

  test('hundreds of kinds of warnings are counted', async () => {
    const unknown = Array.from({ length: 300 }, (_, i) => `<X${i}/>`).join('')
    const { warnings } = await summaryOf(statementFile(entry('1', 'BOOK', { rest: unknown })))
    expect(warnings.length).toBeLessThanOrEqual(102)
    // One of them is that the statement has no balance.
    expect(warnings).toContain('201 more warnings')
  })
})
