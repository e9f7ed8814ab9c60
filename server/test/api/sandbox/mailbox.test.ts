/** The mailbox: recipients, subjects and attachments. */
import { beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp, until } from '../../support/app.ts'
import { borrower, loan } from './story.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

test('the loan contract is in the mailbox, addressed to every recipient', async () => {
  const company = await borrower(app.client)
  const to = 'treasurer@partner.example'
  await loan(app.client, company, { emails: [to] })
  const mail = await until(async () => {
    const { data } = await app.client.listSandboxMailbox({ to: to.toUpperCase() })
    return data.find(one => one.attachments.length > 0)
  })
  expect(mail.to).toBe(to)
  expect(mail.subject).not.toBe('')
  expect(mail.text).toContain(company.name!)
  const [contract] = mail.attachments
  const file = Buffer.from(contract!.content_base64, 'base64')
  expect(file.subarray(0, 5).toString()).toBe('%PDF-')
  expect(contract).toMatchObject({ media_type: 'application/pdf', size_bytes: file.length })
  expect(contract!.filename).toMatch(/\.pdf$/)

  const business_email = company.directors![0]!.business_email
  const everything = await until(async () => {
    const all = await app.client.listSandboxMailbox()
    return all.data.some(one => one.to === business_email) && all
  })
  expect(everything.total).toBe(everything.data.length)
})

test('another partner cannot read it', async () => {
  expect((await app.second.listSandboxMailbox()).data).toEqual([])
  const { data } = await app.client.listSandboxMailbox({ to: 'nobody@partner.example' })
  expect(data).toEqual([])
})
