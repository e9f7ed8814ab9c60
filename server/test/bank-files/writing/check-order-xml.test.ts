/** Faults in the XML are found there, whoever wrote it: each is made in a valid file and caught. */

import { expect, test } from 'vitest'
import {
  BANK_PROFILES,
  checkOrderXml,
  type OrderFile,
  writeOrderFile,
} from '../../../src/integrations/bank-files/index.ts'
import { compareWritten } from '../../../src/integrations/bank-files/writing/compare-written.ts'
import { RULES, type RuleName } from '../../../src/integrations/bank-files/writing/faults.ts'
import {
  debitFile,
  debitOrder,
  generic,
  PROFILES,
  swiss,
  transferFile,
  transferOrder,
} from './support.ts'

const orders = [
  { remittance: { text: 'Invoice 1' }, purpose: 'LOAN' },
  { counterparty: swiss },
] as const
const FILES = {
  transfers: transferFile(orders.map((parts, index) => transferOrder(index + 1, parts))),
  debits: debitFile(orders.map((parts, index) => debitOrder(index + 1, parts))),
}
const TEXTS = {
  transfers: Buffer.from(writeOrderFile(FILES.transfers, generic)).toString('utf8'),
  debits: Buffer.from(writeOrderFile(FILES.debits, generic)).toString('utf8'),
}

type Mutation = [RuleName, string | RegExp, string]

const MUTATIONS: Record<keyof typeof FILES, Mutation[]> = {
  transfers: [
    ['structure', '</Document>', ''],
    ['structure', '<Document', '<!DOCTYPE x><Document'],
    ['structure', '<PmtMtd>', '<Urgt/><PmtMtd>'],
    ['structure', '<PmtMtd>TRF</PmtMtd>', ''],
    ['structure', '<ChrgBr>SLEV</ChrgBr>', '<ChrgBr>SLEV</ChrgBr><ChrgBr>SLEV</ChrgBr>'],
    ['structure', /<Dbtr>(.*)<\/Dbtr>(<DbtrAcct>.*<\/DbtrAcct>)/, '$2<Dbtr>$1</Dbtr>'],
    ['structure', '<Ustrd>', '<Strd><CdtrRefInf/></Strd><Ustrd>'],
    ['structure', '<ReqdExctnDt><Dt>2026-11-30</Dt>', '<ReqdExctnDt>2026-11-30'],
    ['structure', '<BICFI>', '<BIC>UBSWCHZH80A</BIC><BICFI>'],
    ['structure', /<CdtTrfTxInf>(.*?)<\/CdtTrfTxInf>/, '<X><CdtTrfTxInf>$1</CdtTrfTxInf></X>'],
    ['version', 'pain.001.001.09', 'pain.001.001.03'],
    ['structure', 'pain.001.001.09', 'pain.001.001.11'],
    ['encoding', 'encoding="UTF-8"', 'encoding="ISO-8859-1"'],
    ['encoding', '<?xml', '\ufeff<?xml'],
    ['code', '<PmtMtd>TRF', '<PmtMtd>CHK'],
    ['code', '<ChrgBr>SLEV', '<ChrgBr>SHAR'],
    ['code', '<SvcLvl><Cd>SEPA', '<SvcLvl><Cd>URGP'],
    ['code', '</SvcLvl>', '</SvcLvl><LclInstrm><Cd>CORE</Cd></LclInstrm>'],
    ['code', '</SvcLvl>', '</SvcLvl><SeqTp>RCUR</SeqTp>'],
    ['code', '<BtchBookg>false', '<BtchBookg>no'],
    ['code', '<Id>NOTPROVIDED', '<Id>UNKNOWN'],
    ['count', '<NbOfTxs>2', '<NbOfTxs>3'],
    ['count', /(<PmtInf>.*)<NbOfTxs>2/, '$1<NbOfTxs>02'],
    ['sum', '<CtrlSum>2469.12', '<CtrlSum>2469.13'],
    ['sum', /(<PmtInf>.*)<CtrlSum>2469.12/, '$1<CtrlSum>2469.120'],
    ['orders_min', /<PmtInf>.*<\/PmtInf>/, ''],
    ['orders_min', /<CdtTrfTxInf>.*<\/CdtTrfTxInf>/, ''],
    ['moment', '<CreDtTm>2026-11-27T08:00:00Z', '<CreDtTm>27.11.2026'],
    ['id_form', '<EndToEndId>0', '<EndToEndId>/'],
    ['id_form', '<MsgId>', '<MsgId> '],
    [
      'id_unique',
      /(.*<(EndToEndId)>)[^<]*2<\/EndToEndId>/,
      '$101936D0A000070008000000000000001</$2>',
    ],
    ['characters', 'Muller + Sohne', 'Müller + Söhne'],
    ['characters', 'Invoice 1', 'Invoice &amp; 1'],
    ['characters', 'Invoice 1', 'Invoice 1 '],
    ['length', '<Ustrd>Invoice 1', `<Ustrd>${'x'.repeat(141)}`],
    ['length', 'Muller + Sohne GmbH', 'x'.repeat(71)],
    ['length', 'Zurich', 'x'.repeat(36)],
    ['name', '<Cdtr><Nm>Muller + Sohne GmbH', '<Cdtr><Nm>...'],
    ['text', 'Invoice 1', '...'],
    ['currency', '<InstdAmt Ccy="EUR">', '<InstdAmt Ccy="USD">'],
    ['currency', '<InstdAmt Ccy="EUR">', '<InstdAmt>'],
    ['amount', '"EUR">1234.56', '"EUR">1234.560'],
    ['amount', '"EUR">1234.56', '"EUR">01234.56'],
    ['amount', '"EUR">1234.56', '"EUR">0.00'],
    ['amount', '"EUR">1234.56', '"EUR">-1234.56'],
    ['amount', '"EUR">1234.56', '"EUR">1000000000.00'],
    ['iban', 'DE89370400440532013000', 'DE88370400440532013000'],
    ['sepa_country', 'DE89370400440532013000', 'TR330006100519786457841326'],
    ['bic', '<BICFI>UBSWCHZH80A', '<BICFI>UBSW'],
    ['bic_missing', /<CdtrAgt>.*?<\/CdtrAgt>/, ''],
    ['address_superfluous', '</TwnNm>', '</TwnNm><AdrLine>Bahnhofstrasse 1</AdrLine>'],
    ['address_superfluous', 'CH9300762011623852957', 'DE89370400440532013000'],
    ['address_missing', /<PstlAdr>.*?<\/PstlAdr>/, ''],
    ['address', '<TwnNm>Zurich</TwnNm>', ''],
    ['address', '<Ctry>CH', '<Ctry>XX'],
    [
      'code',
      '</Nm></InitgPty>',
      `</Nm>${'<Id><PrvtId><Othr><Id>A</Id></Othr></PrvtId></Id>'}</InitgPty>`,
    ],
    ['reference', /<Ustrd>.*?<\/Ustrd>/, '<Strd><CdtrRefInf><Ref>RF00</Ref></CdtrRefInf></Strd>'],
    ['purpose', '<Cd>LOAN', '<Cd>loan'],
    ['day_exists', '<Dt>2026-11-30', '<Dt>2026-11-31'],
    ['day_past', '<Dt>2026-11-30', '<Dt>2026-11-26'],
    ['day_closed', '<Dt>2026-11-30', '<Dt>2026-11-29'],
  ],
  debits: [
    ['version', 'pain.008.001.08', 'pain.008.001.02'],
    ['structure', /<CdtrSchmeId>.*<\/CdtrSchmeId>/, ''],
    ['structure', '<Cd>B2B</Cd>', '<Prtry>B2B</Prtry>'],
    ['code', '<Cd>B2B', '<Cd>COR1'],
    ['code', '<SeqTp>RCUR', '<SeqTp>RPRE'],
    ['code', '<SeqTp>RCUR</SeqTp>', ''],
    ['code', '<PmtMtd>DD', '<PmtMtd>TRF'],
    ['code', '<Prtry>SEPA', '<Prtry>CORE'],
    ['creditor_identifier', /<Othr><Id>FR../, '<Othr><Id>FR00'],
    ['address_missing', /<PstlAdr>.*?<\/PstlAdr>/, ''],
    [
      'scheme',
      /<PmtInf>(<PmtInfId>)(.*)<Cd>B2B(.*)<\/PmtInf>/,
      '$&<PmtInf>$1X$2<Cd>CORE$3</PmtInf>',
    ],
    ['mandate_reference', '<MndtId>MANDATE1', '<MndtId>MANDATE  1'],
    ['mandate_day', '<DtOfSgntr>2026-10-01', '<DtOfSgntr>2026-12-01'],
    ['lead_time', '<ReqdColltnDt>2026-11-30', '<ReqdColltnDt>2026-11-27'],
    ['too_early', '<ReqdColltnDt>2026-11-30', '<ReqdColltnDt>2026-12-14'],
    ['sum', '<CtrlSum>2469.12', '<CtrlSum>2469.1'],
  ],
}

const rulesIn = (text: string, profile = generic) =>
  checkOrderXml(Buffer.from(text), profile).map(fault => fault.rule)

test('the files without a mutation are valid', () => {
  expect(rulesIn(TEXTS.transfers)).toEqual([])
  expect(rulesIn(TEXTS.debits)).toEqual([])
})

for (const kind of ['transfers', 'debits'] as const) {
  test.for(MUTATIONS[kind])(`in ${kind}, %s is found: %s becomes %s`, ([rule, from, to]) => {
    const mutated = TEXTS[kind].replace(from, to)
    expect(mutated).not.toBe(TEXTS[kind])
    expect(rulesIn(mutated)).toContain(rule)
  })
}

test('what the profile does not allow is found in the XML too', () => {
  const instant = TEXTS.transfers.replace(
    '</SvcLvl>',
    '</SvcLvl><LclInstrm><Cd>INST</Cd></LclInstrm>',
  )
  expect(rulesIn(instant)).toEqual([])
  expect(rulesIn(instant, { ...generic, offers_instant: false })).toEqual(['instant'])
  expect(rulesIn(TEXTS.debits, { ...generic, orders_max: 1 })).toEqual(['orders_max'])
})

test('every rule is broken by a mutation or a profile', () => {
  const broken = [...MUTATIONS.transfers, ...MUTATIONS.debits].map(([rule]) => rule)
  const all = new Set([...broken, 'instant', 'orders_max'])
  expect(Object.keys(RULES).filter(rule => !all.has(rule))).toEqual([])
})

test('bytes that are not UTF-8, or no file at all, are faults', () => {
  expect(checkOrderXml(Uint8Array.of(0x3c, 0xff), generic)[0]).toMatchObject({ rule: 'encoding' })
  expect(rulesIn('')).toContain('structure')
  expect(rulesIn('<?xml version="1.0" encoding="UTF-8"?>\n<x/>')).toContain('structure')
})

test('a file of one version is refused where the bank takes another', () => {
  for (const [, profile] of PROFILES) {
    const text = Buffer.from(writeOrderFile(FILES.debits, profile)).toString('utf8')
    expect(rulesIn(text, BANK_PROFILES.older).includes('version')).toBe(
      profile.debits !== BANK_PROFILES.older.debits,
    )
  }
})

/** What a file can do without. */
const OPTIONAL = ['BtchBookg', 'Issr']

test('no element can be missing but those that are optional', () => {
  for (const text of Object.values(TEXTS)) {
    const leaves = [...text.matchAll(/<(\w+)[^<>]*>[^<>]*<\/\1>/g)]
    expect(leaves.length).toBeGreaterThan(30)
    for (const { 0: leaf, 1: name, index } of leaves) {
      const rules = rulesIn(text.slice(0, index) + text.slice(index + leaf.length))
      expect(rules.length === 0, `without ${leaf}`).toBe(OPTIONAL.includes(name!))
    }
  }
})

test('where the bank wants the initiator identified, its creditor identifier is required', () => {
  const profile = { ...generic, identifies_initiator: true }
  expect(rulesIn(TEXTS.debits, profile)).toEqual(['creditor_identifier'])
  const identified = Buffer.from(writeOrderFile(FILES.debits, profile)).toString('utf8')
  expect(rulesIn(identified, profile)).toEqual([])
  expect(rulesIn(identified.replace('<Othr><Id>FR', '<Othr><Id>XX'), profile)).toEqual([
    'creditor_identifier',
  ])
  expect(rulesIn(identified)).toEqual(['code'])
})

test('a valid file that is not what was to be written is noticed', () => {
  const of = (file: OrderFile, from: string | RegExp, to: string) => {
    const text = Buffer.from(writeOrderFile(file, generic)).toString('utf8')
    const changed = text.replaceAll(from, to)
    expect(rulesIn(changed)).toEqual([])
    return compareWritten(Buffer.from(changed), file, generic)
  }
  const { transfers, debits } = FILES
  expect(of(transfers, 'LOAN', 'LOAN')).toBeNull()
  expect(of(transfers, 'DE89370400440532013000', 'BE68539007547034')).toMatch(/another/)
  expect(of(transfers, '2026-11-30', '2026-12-01')).toMatch(/another/)
  expect(of(transfers, '</SvcLvl>', '</SvcLvl><LclInstrm><Cd>INST</Cd></LclInstrm>')).toMatch(
    /another/,
  )
  expect(of(transfers, '<MsgId>', '<MsgId>9')).toMatch(/another message id/)
  expect(of(transfers, /<InstrId>/g, '<InstrId>9')).toMatch(/another/)
  expect(of(transfers, /<EndToEndId>/g, '<EndToEndId>9')).toMatch(/another/)
  const two = transferFile([transferOrder(1, { amount: 1n }), transferOrder(2, { amount: 2n })])
  expect(of(two, /0\.01(?=<\/InstdAmt>)(.*)0\.02/g, '0.02$10.01')).toMatch(/another/)
  expect(of(debits, 'MANDATE1', 'MANDATE3')).toMatch(/another/)
  expect(of(debits, '2026-10-01', '2026-10-02')).toMatch(/another/)
  expect(of(debits, 'RCUR', 'FNAL')).toMatch(/another/)
})
