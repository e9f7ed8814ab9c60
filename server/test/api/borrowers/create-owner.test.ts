/** Registering the owner of a borrower. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { transaction } from '../../../src/platform/db/transaction.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'

let app: TestApp
let borrower_id: string
beforeAll(async () => {
  app = await testApp()
  const made = await app.client.generateSandboxBusiness({ is_borrower: true })
  borrower_id = (await app.client.createBorrower({ identifier: made.identifier })).id
})

const PDF = Buffer.from('%PDF-1.7').toString('base64')
const LEA = { first_name: 'Léa', last_name: 'Noël', email: 'lea@example.com' }
const ownerOf = async () => (await app.client.getBorrower({ borrower_id })).owner

async function documents(): Promise<string[]> {
  const rows = await transaction(app.context.database, { partners: '*', actor: 'service' }, tx =>
    tx.all(sql<{ purpose: string }>`
      select purpose from owner_documents where borrower_id = ${borrower_id} order by id`),
  )
  return rows.map(row => row.purpose)
}

test('the latest owner applies; documents of earlier ones are kept', async () => {
  const front = { filename: 'front.pdf', document_binary_base64: PDF }
  const first = await app.client.createOwner({
    borrower_id,
    ...LEA,
    birth_date: '1979-02-03',
    phone_number: '+33123456789',
    identity_documents: { identity_document_front: front, custom_identity_documents: [front] },
  })
  expect(first).toMatchObject({ email: LEA.email, phone_number: '+33123456789' })
  expect(await ownerOf()).toEqual(first)
  const other = { ...LEA, first_name: 'Noé', email: 'noe@example.com' }
  const second = await app.client.createOwner({ borrower_id, ...other })
  expect(second.id).not.toBe(first.id)
  expect(second).toMatchObject({ email: 'noe@example.com', phone_number: '' })
  expect(await ownerOf()).toMatchObject({ id: second.id })
  expect(await documents()).toEqual(['CUSTOM', 'IDENTITY_FRONT'])
})

test('every fault is reported and nothing is written', async () => {
  const before = await ownerOf()
  const word = { filename: 'a.docx', document_binary_base64: Buffer.from('PK').toString('base64') }
  const large = Buffer.concat([Buffer.from('%PDF-'), Buffer.alloc(10_000_000)]).toString('base64')
  const faults = await faultsOf(
    app.client.createOwner({
      borrower_id,
      first_name: 'Léa',
      last_name: 'Noël',
      birth_date: '2990-01-01',
      identity_documents: {
        identity_document_back: word,
        custom_identity_documents: [{ filename: 'b.pdf', document_binary_base64: large }],
      },
    }),
  )
  expect(faults).toEqual({
    birth_date: 'is in the future',
    email: expect.stringContaining('is required'),
    'identity_documents.custom_identity_documents.0.document_binary_base64':
      'is larger than ten megabytes',
    'identity_documents.identity_document_back.document_binary_base64':
      'is neither a PDF nor a JPEG or PNG image',
  })
  expect(await ownerOf()).toEqual(before)
})

test('unknown borrowers and those of other partners are 404', async () => {
  for (const [client, id] of [
    [app.client, newId()],
    [app.second, borrower_id],
  ] as const) {
    const problem = await refusal(client.createOwner({ borrower_id: id, ...LEA }))
    expect(problem.code).toBe('resource_unknown')
  }
})

test('the body is validated before the borrower is looked up', async () => {
  const unknown = { borrower_id: newId(), ...LEA }
  const born_later = { ...unknown, birth_date: '2990-01-01' }
  expect((await refusal(app.client.createOwner(born_later))).code).toBe('request_invalid')
  expect((await refusal(app.client.createOwner(unknown))).code).toBe('resource_unknown')
})
