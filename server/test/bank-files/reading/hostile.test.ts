/** Hostile and broken files are refused whole, with a reason, and in bounded memory. */
import { describe, expect, test } from 'vitest'
import { summarizeBankFile } from '../../../src/integrations/bank-files/index.ts'
import {
  balance,
  document,
  entry,
  HEADER,
  hasSamples,
  itemsOfKind,
  namespaceOf,
  sample,
  statementFile,
  statementOf,
  summaryOf,
  XML,
} from './support.ts'

const file = statementFile(balance('OPBD', '10'), balance('CLBD', '15.50'), entry('5.50'))
const body = file.slice(XML.length)
const NOTHING = {
  readable: false,
  accepted: false,
  statements: 0,
  entries: 0,
  booked_entries: 0,
  details: 0,
  returns: 0,
  credits: new Map(),
  debits: new Map(),
}

async function expectRefused(bytes: string | Uint8Array, reason: RegExp): Promise<void> {
  const summary = await summaryOf(bytes)
  expect(summary).toMatchObject({ ...NOTHING, reason: expect.stringMatching(reason) })
  // In small pieces, too.
  expect(await summaryOf(bytes, 7)).toEqual(summary)
}

test.each(['camt.053.001.02', 'camt.054.001.08', 'pain.002.001.03'])(
  'an empty %s is refused',
  async message => {
    const names = { 'camt.053': 'BkToCstmrStmt', 'camt.054': 'BkToCstmrDbtCdtNtfctn' }
    const name = names[message.slice(0, 8) as keyof typeof names] ?? 'CstmrPmtStsRpt'
    for (const content of ['', `<${name}/>`, `<${name}>${HEADER}</${name}>`]) {
      await expectRefused(XML + document(message, content), /no statement, notification or status/)
    }
  },
)

test.each([
  ['an amount', '>5.50<', '>5<x>9</x>.50<'],
  ['a status', '>BOOK<', '>BO<x/>OK<'],
])('an element within %s is refused', async (_, text, instead) => {
  expect(file).toContain(text)
  await expectRefused(file.replace(text, instead), /has an element in the text of/)
})

test('the file that the others are made from is accepted', async () => {
  expect(await summaryOf(file)).toMatchObject({ accepted: true, entries: 1, warnings: [] })
})

describe('declarations', () => {
  const laughs = Array.from(
    { length: 9 },
    (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`,
  ).join('')
  test.each([
    ['a billion laughs', `<!DOCTYPE x [<!ENTITY l0 "ha">${laughs}]>`, '&l9;'],
    ['an external entity', '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>', '&e;'],
    ['an external parameter', '<!DOCTYPE x [<!ENTITY % p SYSTEM "http://a.example/">%p;]>', ''],
    ['an external subset', '<!DOCTYPE Document SYSTEM "http://a.example/x.dtd">', ''],
    ['a DOCTYPE alone', '<!DOCTYPE Document>', ''],
  ])('%s', async (_, doctype, use) => {
    await expectRefused(`${XML}${doctype}${body.replace('Lender', use)}`, /has a DOCTYPE/)
  })

  test('entities that are not declared', async () => {
    await expectRefused(file.replace('Lender', '&e;'), /undefined entity/)
  })

  test('predefined entities, characters by number and CDATA are read', async () => {
    const text = file.replace('<Id>S1<', '<Id>&lt;&#65;&#x42;<![CDATA[<&]]><')
    const { reason } = await summaryOf(text.replace('15.50', '15.51'))
    expect(reason).toContain('(<AB<&)')
  })
})

describe('more than fits', () => {
  const within = (content: string) => file.replace('<Nm>Lender</Nm>', content)
  test.each([
    ['depth', within('<Prxy>'.repeat(41) + '</Prxy>'.repeat(41)), /nested more than 40 deep/],
    ['text', within(`<Nm>${'x'.repeat(20_000)}</Nm>`), /Nm of more than 16384 characters/],
    ['a name', within(`<${'x'.repeat(200)}/>`), /name longer than 128/],
    ['an attribute', within(`<Nm a="${'x'.repeat(3_000)}"/>`), /attribute with more than 2048/],
    [
      'attributes',
      within(`<Nm ${Array.from({ length: 40 }, (_, i) => `a${i}="" `).join('')}/>`),
      /more than 32 attributes/,
    ],
    [
      'elements in an entry',
      file.replace('</Ntry>', `${'<Chrgs><Amt Ccy="EUR">1</Amt></Chrgs>'.repeat(20_000)}</Ntry>`),
      /more than 20000 elements in one Ntry/,
    ],
    [
      'text in a transaction',
      file.replace(
        '</Ntry>',
        `<NtryDtls><TxDtls><RmtInf>${`<Ustrd>${'x'.repeat(15_000)}</Ustrd>`.repeat(100)}` +
          '</RmtInf></TxDtls></NtryDtls></Ntry>',
      ),
      /more than 1048576 characters in one TxDtls/,
    ],
  ])('%s', async (_, text, reason) => {
    expect((await summaryOf(text)).reason).toMatch(reason)
  })

  async function* endless(start: string, more: string) {
    yield Buffer.from(start)
    for (;;) yield Buffer.from(more)
  }
  test.each([
    ['text', file.slice(0, file.indexOf('Lender')), 'x'.repeat(9_999)],
    ['text of entities', file.slice(0, file.indexOf('Lender')), '&amp;'.repeat(9_999)],
    ['text that is not read', `${file.slice(0, file.indexOf('<Nm>'))}<Prxy>`, 'x'.repeat(9_999)],
    ['a comment', `${XML}<!-- `, 'x'.repeat(9_999)],
    ['an instruction', `${XML}<?x `, 'x'.repeat(9_999)],
    ['a DOCTYPE', `${XML}<!DOCTYPE x [`, '<!ENTITY a "b">'.repeat(999)],
    ['a tag', `${XML}<Document`, ' '.repeat(9_999)],
    ['a name', `${XML}<`, 'x'.repeat(9_999)],
    ['an attribute', `${XML}<Document a="`, 'x'.repeat(9_999)],
    ['space after the end', file, ' '.repeat(9_999)],
  ])('%s without end', async (_, start, more) => {
    const { reason } = await summarizeBankFile(endless(start, more))
    expect(reason).toMatch(/tag, text or comment of more than 1048576 characters/)
  })
})

describe('files that are not whole', () => {
  test('cut after any character', async () => {
    const readable: number[] = []
    for (let end = 0; end < file.length; end++) {
      const summary = await summaryOf(file.slice(0, end))
      if (summary.readable) readable.push(end)
      else expect(summary).toMatchObject(NOTHING)
    }
    expect(readable).toEqual([])
  })

  test.skipIf(!hasSamples)('a real file cut at every 1,000th byte', async () => {
    const bytes = sample('camt053-02-seb-fi.xml')
    const whole = bytes.lastIndexOf('</Document>') + '</Document>'.length
    expect(whole).toBeGreaterThan(20_000)
    for (let end = 1_000; end < whole; end += 1_000) {
      const summary = await summaryOf(bytes.subarray(0, end))
      expect(summary).toMatchObject({
        ...NOTHING,
        reason: expect.stringMatching(/ends before its document is complete/),
      })
    }
    expect(await summaryOf(bytes.subarray(0, whole))).toMatchObject({ entries: 10 })
  })

  test.each([
    ['twice', file + file],
    ['twice, the second time without a declaration', file + body],
    ['with text behind it', `${file}x`],
  ])('%s', (_, text) => expectRefused(text, /goes on after the end of its document/))

  test.each([
    ['empty', '', /is empty/],
    ['only spaces', ' \n ', /is empty/],
    ['a ZIP archive', 'PK\x03\x04abc', /ZIP archive/],
    ['a PDF', '%PDF-1.7\n', /PDF document/],
    ['a file in the older format MT940', ':20:STARTUMS\n:25:1234', /is not XML/],
    ['JSON', '{}', /is not XML/],
    ['tags that do not close', file.replace('</Acct>', '</Acc>'), /not well-formed/],
  ])('%s', (_, text, reason) => expectRefused(text, reason))
})

describe('encodings', () => {
  const named = (encoding: string, name = 'Zoë Müller') =>
    file.replace('UTF-8', encoding).replace('Lender', name)
  const nameIn = async (bytes: Uint8Array) => {
    const [item] = await itemsOfKind(bytes, 'statement')
    return item?.statement.account?.name
  }
  const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16()
  const BOM = '\ufeff'

  test.each([
    ['UTF-8', Buffer.from(named('UTF-8'))],
    ['UTF-8 with a mark', Buffer.from(BOM + named('utf-8'))],
    ['UTF-8 without a declaration', Buffer.from(named('UTF-8').slice(XML.length))],
    ['UTF-16 LE', Buffer.from(BOM + named('UTF-16'), 'utf16le')],
    ['UTF-16 LE without a mark', Buffer.from(named('UTF-16LE'), 'utf16le')],
    ['UTF-16 BE', swapped(BOM + named('UTF-16'))],
    ['ISO-8859-1', Buffer.from(named('ISO-8859-1'), 'latin1')],
    ['ISO-8859-15', Buffer.from(named('ISO-8859-15'), 'latin1')],
    ['windows-1252', Buffer.from(named('windows-1252'), 'latin1')],
  ])('%s', async (_, bytes) => {
    expect(await nameIn(bytes)).toBe('Zoë Müller')
    expect(await summaryOf(bytes, 1)).toMatchObject({ accepted: true, entries: 1 })
  })

  test('where windows-1252 and ISO-8859-15 differ from ISO-8859-1', async () => {
    const latin = (encoding: string, name: string) => Buffer.from(named(encoding, name), 'latin1')
    expect(await nameIn(latin('windows-1252', 'A\x80\x92\xa4'))).toBe('A€’¤')
    expect(await nameIn(latin('ISO-8859-15', 'A\xa4\xbd'))).toBe('A€œ')
    expect(await nameIn(latin('ISO-8859-1', 'A\xa4\xbd'))).toBe('A¤½')
  })

  test.each([
    ['ISO-8859-1 declared as UTF-8', Buffer.from(named('UTF-8'), 'latin1'), /not UTF-8/],
    [
      'a character cut at the end',
      Buffer.concat([Buffer.from(file), Buffer.from([0xc3])]),
      /not UTF-8/,
    ],
    ['half a surrogate', Buffer.from(`${BOM}${named('UTF-16', '\ud800')}`, 'utf16le'), /UTF-16LE/],
    ['an odd byte', Buffer.from(`${BOM}${file.replace('UTF-8', 'UTF-16')}`, 'utf16le'), null],
    ['windows-1252 as ISO-8859-1', Buffer.from(named('ISO-8859-1', '\x80'), 'latin1'), /byte 80/],
    ['no character of windows-1252', Buffer.from(named('cp1252', '\x81'), 'latin1'), /byte 81/],
    ['a mark against ISO-8859-1', Buffer.from(BOM + named('ISO-8859-1')), /those of UTF-8/],
    ['UTF-16 declared as UTF-8', Buffer.from(BOM + named('UTF-8'), 'utf16le'), /of UTF-16LE/],
    ['UTF-16 declared as the other', swapped(BOM + named('UTF-16LE')), /of UTF-16BE/],
    ['bytes declared as UTF-16', Buffer.from(named('UTF-16')), /not in that encoding/],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x3c, 0, 0, 0]), /UTF-32/],
    ['an encoding we do not read', Buffer.from(named('EBCDIC-CP-FR')), /encoding EBCDIC-CP-FR/],
  ])('%s is refused', async (_, bytes, reason) => {
    await expectRefused(reason ? bytes : bytes.subarray(0, -1), reason ?? /UTF-16LE/)
  })
})

describe('other messages', () => {
  test.each([
    ['camt.052.001.02', /is camt\.052\.001\.02\. Supported are camt\.053 \(\.02, \.04, \.08\)/],
    ['camt.053.001.06', /is camt\.053\.001\.06/],
    ['camt.053.002.02', /is camt\.053\.002\.02/],
    ['pain.002.001.11', /is pain\.002\.001\.11/],
  ])('%s', async (name, reason) => {
    const text = file.replace('camt.053.001.02', name)
    await expectRefused(text, reason)
    expect((await summaryOf(text)).message).toBe(name)
  })

  test.each([
    ['without a namespace', '<Document/>', /element Document without a namespace/],
    ['of another standard', '<Document xmlns="urn:x"/>', /in the namespace urn:x/],
    ['with another root', `<x xmlns="${namespaceOf('camt.053.001.02')}"/>`, /element x/],
    [
      'with two messages',
      document('camt.053.001.02', '<BkToCstmrStmt/><BkToCstmrStmt/>'),
      /just one/,
    ],
    ['with another message', document('camt.053.001.02', '<CstmrPmtStsRpt/>'), /contains CstmrPmt/],
    ['in XML 1.1', file.replace('1.0', '1.1'), /XML 1\.1/],
    [
      'with an entry from another namespace',
      file.replace('<Ntry>', '<Ntry xmlns="urn:x">'),
      /Ntry from another namespace/,
    ],
  ])('%s', (_, text, reason) => expectRefused(text, reason))

  test('any prefix is read', async () => {
    const prefixed = body.replaceAll(/<(\/?)(\w)/g, '<$1ns2:$2').replace('xmlns=', 'xmlns:ns2=')
    expect(prefixed).toContain('<ns2:Document xmlns:ns2="')
    expect(await summaryOf(prefixed)).toEqual(await summaryOf(body))
  })

  test('supplementary data from other namespaces is not read', async () => {
    const data = '<SplmtryData><Envlp><x xmlns="urn:x"><Ntry/></x></Envlp></SplmtryData>'
    const statement = statementOf(balance('CLBD', '1'))
    const content = `<BkToCstmrStmt>${HEADER}${statement}${data}</BkToCstmrStmt>`
    expect(await summaryOf(document('camt.053.001.08', content))).toMatchObject({
      readable: true,
      entries: 0,
    })
  })
})
