/** Documents are served without a key, but only at signed links that have not expired. */
import { expect, test } from 'vitest'
import { documentAddress } from '../../../src/integrations/documents/index.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import { testApp } from '../../support/app.ts'

const app = await testApp({ work: false })

async function termsAddress(): Promise<string> {
  const { identifier } = await app.client.generateSandboxBusiness({ country: 'FRA' })
  const { id: borrower_id } = await app.client.createBorrower({ identifier })
  const { data } = await app.client.listBorrowerFinancialProducts({ borrower_id })
  return data[0]!.financial_product.configuration.tcs_documents[0]!.document_url
}

async function refused(address: string) {
  const answer = await fetch(address)
  expect(answer.headers.get('content-type')).toContain('application/problem+json')
  return (await answer.json()) as { status: number; code: string }
}

test('a PDF is served inline, with a file name and no content sniffing', async () => {
  const answer = await fetch(await termsAddress())
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/pdf')
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('content-disposition')).toMatch(/^inline; filename="[\w-]+\.pdf"$/)
  expect(answer.headers.get('cache-control')).toContain('no-store')
  expect(
    Buffer.from(await answer.arrayBuffer())
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-')
})

test('an altered or expired link is 403', async () => {
  const address = new URL(await termsAddress())
  const id = address.pathname.split('/').pop()!
  const { settings } = app.context.database
  const changed = new URL(address)
  changed.searchParams.set('expires', String(Number(address.searchParams.get('expires')) + 60))
  const forged = new URL(address)
  forged.searchParams.set('signature', 'A'.repeat(43))
  const other = new URL(address)
  other.pathname = `/document/${newId()}`
  const old = documentAddress(settings, id, new Date(Date.now() - 16 * 60_000))
  for (const wrong of [changed, forged, other, old]) {
    const problem = await refused(String(wrong))
    expect(problem).toMatchObject({ status: 403, code: 'signature_invalid' })
  }
})

test('a link without a signature is 422, a signed link to no document 404', async () => {
  const address = new URL(await termsAddress())
  expect(await refused(address.origin + address.pathname)).toMatchObject({ status: 422 })
  const nothing = documentAddress(app.context.database.settings, newId())
  expect(await refused(nothing)).toMatchObject({ status: 404, code: 'resource_unknown' })
})

test('the sandbox clock does not expire a link', async () => {
  const address = await termsAddress()
  await app.client.advanceSandboxClock({ days: 3 })
  expect((await fetch(address)).status).toBe(200)
})
