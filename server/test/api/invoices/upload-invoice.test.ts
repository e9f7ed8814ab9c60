/** Uploading PDFs: data read in five languages, and unreadable files. */
import { connect as dial } from 'node:net'
import { deflateSync } from 'node:zlib'
import type { Input } from '@headroom/sdk'
import { describe, expect, test } from 'vitest'
import { testApp } from '../../support/app.ts'
import { pdfOf } from '../../support/invoices.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'

const app = await testApp({ work: false })
const { client } = app

const upload = (bytes: Uint8Array, more: Partial<Input<'uploadInvoice'>> = {}) =>
  client.uploadInvoice({ file: bytes, ...more })

async function count(): Promise<number> {
  return (await client.listInvoices({ page_size: 1 })).total!
}

const result = ({ identifier, identifier_type, name }: { [key: string]: unknown }) => ({
  identifier,
  identifier_type,
  name,
})

describe('a generated invoice reads the same from its PDF as from its request', () => {
  test.each(['FRA', 'DEU', 'ESP', 'NLD', 'BEL', 'REU', 'ISL'] as const)('%s', async country => {
    const made = await client.generateSandboxInvoice({ country, scenario: 'SUCCESS' })
    const { document, ...payload } = made.invoice_creation_payload
    const file = new Uint8Array(await (await fetch(made.pdf_download_url)).arrayBuffer())
    expect(Buffer.from(file).toString('base64')).toBe(document)
    const read = await upload(file, { metadata: '{"order":7}' })
    expect(read).toMatchObject({
      status: 'VERIFIED',
      to_edit: [],
      invoice_number: payload.invoice_number,
      issued_at: payload.issued_at,
      due_at: payload.due_at,
      net_amount: payload.net_amount,
      tax_amount: payload.tax_amount,
      total_amount: payload.total_amount,
      to_pay_amount: payload.to_pay_amount,
      to_account_details: {
        account_number: payload.to_account.account_number,
        bank_identifier: payload.to_account.bank_identifier,
      },
      seller: result(payload.seller),
      buyer: result(payload.buyer),
      metadata: { order: 7 },
    })
    await client.deleteInvoice({ invoice_id: read.id })
    const declared = await client.createInvoice({ ...payload, document })
    expect(declared.status).toBe('VERIFIED')
  })

  test('with a name that wraps', async () => {
    const name = 'Neumann Gebäudereinigung UG (haftungsbeschränkt)'
    const seller = { identifier: 'Hamburg HRB 225627', name }
    const made = await client.generateSandboxInvoice({ country: 'DEU', seller })
    const file = new Uint8Array(await (await fetch(made.pdf_download_url)).arrayBuffer())
    expect((await upload(file)).seller).toMatchObject({ name })
  })

  test('with the given companies', async () => {
    const made = await client.generateSandboxInvoice({
      seller: { identifier: 'B64717838', name: 'Vinos SL' },
      buyer: { identifier: 'DE136695976' },
    })
    const { seller, buyer } = made.invoice_creation_payload
    expect(seller).toMatchObject({ identifier: 'B64717838', name: 'Vinos SL' })
    const read = await upload(Buffer.from(made.invoice_creation_payload.document, 'base64'))
    expect(read.seller).toMatchObject({ identifier: 'B64717838' })
    expect(read.buyer).toMatchObject({ identifier: buyer!.identifier })
    // A company given only by name gets a generated number.
    const named = await client.generateSandboxInvoice({ buyer: { name: 'Dupont' } })
    const { identifier_type, name } = named.invoice_creation_payload.buyer!
    expect({ identifier_type, name }).toEqual({ identifier_type: 'siren', name: 'Dupont' })
  })
})

describe('data missing from a PDF', () => {
  test('is requested by name; the query identifies the companies', async () => {
    const bytes = await pdfOf('Facture F-2026-17', 'Total TTC 1 234,50 €')
    const read = await upload(bytes, { seller: '732829320' })
    expect(read).toMatchObject({
      status: 'TO_EDIT',
      invoice_number: 'F-2026-17',
      total_amount: 123_450,
      seller: { identifier: '732829320' },
      status_reason: 'FILL_INVOICE_BUYER_INFORMATION',
    })
    expect(read.to_edit.map(fault => fault.name)).toEqual(['buyer', 'issued_at', 'due_at'])
  })

  test.each(['$1,234.50', '1234.50 USD', 'CHF 1,234.50'])(
    'amounts in another currency: %s',
    async of => {
      const read = await upload(await pdfOf('Invoice F-2026-18', `Total amount ${of}`))
      expect(read).toMatchObject({ status: 'TO_EDIT', invoice_number: 'F-2026-18' })
      expect(read.to_edit.map(fault => fault.name)).toContain('total_amount')
      expect(read.total_amount).toBeNull()
    },
  )

  test('a letter is declined: NOT_AN_INVOICE', async () => {
    const read = await upload(await pdfOf('Dear Sir, how are you?'))
    expect(read).toMatchObject({ status: 'DECLINED', status_reason: 'NOT_AN_INVOICE' })
  })

  test('a page without text may be a scan: every field is requested', async () => {
    const read = await upload(pdfWith(Buffer.from('0 0 m 9 9 l S'), ''))
    expect(read.status).toBe('TO_EDIT')
    expect(read.to_edit.length).toBeGreaterThanOrEqual(6)
  })
})

/** A one-page PDF with this content stream, encoded with this filter. */
function pdfWith(content: Buffer, filter: string, trailer = ''): Buffer {
  const head = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources 5 0 R>>endobj
5 0 obj<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>endobj
4 0 obj<</Length ${content.length}${filter}>>stream
`
  const tail = `\nendstream endobj\ntrailer<</Root 1 0 R${trailer}>>\n%%EOF`
  return Buffer.concat([Buffer.from(head), content, Buffer.from(tail)])
}

const zeros = (megabytes: number) => Buffer.alloc(megabytes * 1024 * 1024, 32)
const hex = (bytes: Buffer) => Buffer.from(`${bytes.toString('hex')}>`)
/**
 * A dictionary too large for the heap. V8, unable to grow the dictionary's table, aborts the whole
 * process, not only the thread.
 */
const twoMillionNames = () => {
  const names = Array.from({ length: 2_200_000 }, (_, n) => `/${n.toString(36)} 0`)
  return Buffer.from(`/X <<${names.join('')}>> BDC`)
}
const WIDE = '/Predictor 15/Columns 100000000'
const ENCRYPTED =
  `/Encrypt<</Filter/Standard/V 1/R 2/O<${'41'.repeat(32)}>/U<${'42'.repeat(32)}>/P -4>>` +
  `/ID[<${'43'.repeat(16)}><${'43'.repeat(16)}>]`

describe('an unreadable file returns a clear problem, and nothing is written', () => {
  test.each([
    ['is empty', () => Buffer.alloc(0), 'is empty'],
    ['is a zip', () => Buffer.from('PK\x03\x04rest'), 'is not a PDF'],
    ['is cut off', () => Buffer.from('%PDF-1.7\n1 0 obj'), 'cannot be read'],
    ['is encrypted', () => pdfWith(Buffer.from('x'), '', ENCRYPTED), 'is encrypted'],
    [
      'decompresses to 300 megabytes',
      () => pdfWith(deflateSync(zeros(300)), '/Filter/FlateDecode'),
      'too much memory or time',
    ],
    [
      'decompresses twice to 200 megabytes',
      () => pdfWith(hex(deflateSync(zeros(200))), '/Filter[/ASCIIHexDecode/FlateDecode]'),
      'too much memory or time',
    ],
    [
      'has a dictionary of two million names, which fills the heap',
      () => pdfWith(deflateSync(twoMillionNames()), '/Filter/FlateDecode'),
      'too much memory or time',
    ],
    [
      'requests a row of 100 megabytes',
      () => pdfWith(deflateSync(zeros(9)), `/Filter/FlateDecode/DecodeParms<<${WIDE}>>`),
      'too much memory or time',
    ],
  ])('%s', async (_, make, reason) => {
    const before = await count()
    const bytes = make()
    const memory = process.memoryUsage().rss
    const faults = await faultsOf(upload(bytes))
    expect(faults.file).toContain(reason)
    expect(process.memoryUsage().rss - memory).toBeLessThan(500 * 1024 * 1024)
    expect(await count()).toBe(before)
  })

  test('a page with more text than any invoice is read in part, in time', async () => {
    const text = Buffer.from('BT /F1 9 Tf (Facture) Tj ET\n'.repeat(100_000))
    const read = await upload(pdfWith(deflateSync(text), '/Filter/FlateDecode'))
    expect(['TO_EDIT', 'DECLINED']).toContain(read.status)
  })

  test('a document with slow text does not block other work', async () => {
    // One line in many pieces, each full of words that can precede a company number.
    const pieces = Array.from({ length: 100 }, (_, n) => {
      const at = `1 0 0 1 10 ${(700 - n / 10_000).toFixed(4)}`
      return `BT /F1 0.001 Tf ${at} Tm (${'rcs '.repeat(120)}) Tj ET`
    })
    const bytes = pdfWith(deflateSync(Buffer.from(pieces.join('\n'))), '/Filter/FlateDecode')
    const before = process.threadCpuUsage()
    await upload(bytes)
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(1_000)
  })

  test.each([11, 50])('%i megabytes are 413, and the answer names the limit', async megabytes => {
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), zeros(megabytes)])
    const refused = await refusal(upload(bytes))
    expect(refused.status).toBe(413)
    expect(refused.message).toMatch(/1[06] MB/)
  })
})

test('a client that sends fifty megabytes before reading still gets the reason', async () => {
  const piece = zeros(1)
  const { hostname, port } = new URL(app.base_url)
  const line = dial(Number(port), hostname)
  const output: Buffer[] = []
  let failed: Error | null = null
  line.on('error', error => {
    failed = error
  })
  line.write(
    [
      'POST /invoices/upload HTTP/1.1',
      `host: ${hostname}`,
      `authorization: Bearer ${app.key}`,
      'content-type: multipart/form-data; boundary=b',
      `content-length: ${50 * piece.length}`,
      '\r\n',
    ].join('\r\n'),
  )
  for (let i = 0; i < 50; i++) {
    await new Promise<void>(sent => line.write(piece, () => sent()))
  }
  line.on('data', data => output.push(data))
  await new Promise<void>(ended => line.on('close', () => ended()))
  expect(failed).toBeNull()
  expect(Buffer.concat(output).toString()).toMatch(/^HTTP\/1.1 413 .*body_too_large/s)
})

describe('forms', () => {
  interface Answered {
    code: string
    invalid_params: { name: string }[]
  }
  const send = (body: FormData | string, headers: Record<string, string> = {}) =>
    fetch(`${app.base_url}/invoices/upload`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${app.key}`, ...headers },
    }).then(async answer => ({
      status: answer.status,
      problem: (await answer.json()) as Answered,
    }))

  test('report faults of every field at once', async () => {
    const form = new FormData()
    form.append('metadata', '{')
    form.append('colour', 'red')
    const { status, problem } = await send(form)
    expect(status).toBe(422)
    expect(problem.invalid_params.map(p => p.name).sort()).toEqual(['colour', 'file', 'metadata'])
  })

  test('reject two files, a broken form, JSON, and a form sent elsewhere', async () => {
    const two = new FormData()
    two.append('a', new Blob(['x']))
    two.append('b', new Blob(['x']))
    expect((await send(two)).problem.invalid_params[0]!.name).toBe('file')
    const type = 'multipart/form-data; boundary=x'
    const broken = await send('no form', { 'content-type': type })
    expect(broken.problem.code).toBe('body_malformed')
    const json = await send('{}', { 'content-type': 'application/json' })
    expect(json.status).toBe(415)
    const elsewhere = await fetch(`${app.base_url}/invoices`, {
      method: 'POST',
      body: two,
      headers: { authorization: `Bearer ${app.key}` },
    })
    expect(elsewhere.status).toBe(415)
  })

  test('reject an invalid number in the query', async () => {
    const faults = await faultsOf(upload(await pdfOf('Facture'), { buyer: '732829321' }))
    expect(faults.buyer).toBeTruthy()
  })
})
