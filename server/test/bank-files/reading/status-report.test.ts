/** The bank's answers to files that we sent (pain.002). */
import { expect, test } from 'vitest'
import { document, HEADER, hasSamples, itemsOf, itemsOfKind, sample, summaryOf } from './support.ts'

const GROUP =
  '<OrgnlGrpInfAndSts><OrgnlMsgId>F1</OrgnlMsgId><OrgnlMsgNmId>pain.008.001.08</OrgnlMsgNmId>' +
  '<OrgnlNbOfTxs>2</OrgnlNbOfTxs><GrpSts>PART</GrpSts></OrgnlGrpInfAndSts>'
const REASON = (code: string) =>
  `<StsRsnInf><Orgtr><Nm>Bank</Nm></Orgtr><Rsn><Cd>${code}</Cd></Rsn><AddtlInf>a</AddtlInf>` +
  '<AddtlInf>b</AddtlInf></StsRsnInf>'
const TRANSACTION =
  '<TxInfAndSts><StsId>S</StsId><OrgnlInstrId>I</OrgnlInstrId>' +
  '<OrgnlEndToEndId>E</OrgnlEndToEndId>' +
  `<TxSts>RJCT</TxSts>${REASON('AC04')}<ChrgsInf><Amt Ccy="EUR">0.5</Amt><Agt/></ChrgsInf>` +
  '<OrgnlTxRef><Amt><InstdAmt Ccy="EUR">12.3</InstdAmt></Amt><ReqdExctnDt><Dt>2026-11-03</Dt>' +
  '</ReqdExctnDt><MndtRltdInf><MndtId>R</MndtId></MndtRltdInf>' +
  '<Dbtr><Pty><Nm>Ann</Nm></Pty></Dbtr>' +
  '<DbtrAcct><Id><IBAN>NL91ABNA0417164300</IBAN></Id></DbtrAcct></OrgnlTxRef></TxInfAndSts>'
const payment = (...content: string[]) =>
  `<OrgnlPmtInfAndSts><OrgnlPmtInfId>P</OrgnlPmtInfId>${content.join('')}</OrgnlPmtInfAndSts>`
const file = (...content: string[]) =>
  document('pain.002.001.10', `<CstmrPmtStsRpt>${HEADER}${content.join('')}</CstmrPmtStsRpt>`)

test('the file, its payments and their transactions have statuses and reasons', async () => {
  const text = file(
    GROUP,
    payment('<PmtInfSts>RJCT</PmtInfSts>', REASON('AM05')),
    payment(TRANSACTION, TRANSACTION),
  )
  const items = await itemsOf(text)
  expect(items.map(item => item.kind)).toEqual([
    'message',
    'header',
    'group_status',
    'payment_status',
    'payment_status',
    'transaction_status',
    'transaction_status',
    'end',
  ])
  const reasons = (code: string) => [{ code, lines: ['a', 'b'], originator: 'Bank' }]
  expect(items).toMatchObject([
    { name: 'pain.002.001.10', family: 'pain.002' },
    { header: { message_id: 'M1', created_at: '2026-11-02T06:00:00', page: null } },
    {
      group: {
        original_message_id: 'F1',
        original_message_name: 'pain.008.001.08',
        status: 'PART',
        reasons: [],
      },
    },
    {
      payment: { place: 1, payment_information_id: 'P', status: 'RJCT', reasons: reasons('AM05') },
    },
    { payment: { place: 2, status: null, reasons: [] } },
    {
      transaction: {
        payment_place: 2,
        place: 1,
        status_id: 'S',
        instruction_id: 'I',
        end_to_end_id: 'E',
        status: 'RJCT',
        reasons: reasons('AC04'),
        charges: [{ currency: 'EUR', cents: 50n }],
        amount: { currency: 'EUR', cents: 1_230n },
        requested_on: '2026-11-03',
        mandate_id: 'R',
        debtor: { name: 'Ann', iban: 'NL91ABNA0417164300' },
        creditor: null,
      },
    },
    { transaction: { payment_place: 2, place: 2 } },
    { warnings: [] },
  ])
  expect(await summaryOf(text)).toMatchObject({
    message: 'pain.002.001.10',
    accepted: true,
    statements: 0,
    entries: 2,
    booked_entries: 0,
    returns: 0,
    details: 0,
  })
})

test('a status of the payment after its transactions refuses the file', async () => {
  const { reason } = await summaryOf(
    file(GROUP, payment(TRANSACTION, '<PmtInfSts>RJCT</PmtInfSts>')),
  )
  expect(reason).toMatch(/OrgnlPmtInfAndSts says what it is about only after its first/)
})

test.skipIf(!hasSamples)('a reason may be a text without a code', async () => {
  const [item] = await itemsOfKind(sample('pain002-03-group-accepted-gs.xml'), 'group_status')
  expect(item!.group).toMatchObject({
    status: 'ACTC',
    reasons: [
      {
        code: null,
        lines: [
          'File accepted post technical and profile validations',
          'Original File Name: 26951.json',
        ],
      },
    ],
  })
})
