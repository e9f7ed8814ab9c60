/**
 * The hosted onboarding page in a browser: on a phone, without a mouse, and with links that no
 * longer work.
 */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../server/test/support/app.ts'
import { inBrowser, openedPages, seriousFaults } from './browser.ts'
import { tabTo } from './keys.ts'

const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, locale: 'fr-FR' }

const open = openedPages()
let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

async function begun(redirect_url?: string) {
  const input = { preferred_language: 'fr', ...(redirect_url && { redirect_url }) }
  const { id, secure_resume_link } = await app.client.createOnboarding(input)
  const company = await app.client.generateSandboxBusiness({ is_borrower: true })
  return { id, link: secure_resume_link!, company }
}

async function nameCompany(page: Page, identifier: string): Promise<void> {
  await page.getByLabel('Numéro d’entreprise').fill(identifier)
  await page.getByRole('button', { name: 'Trouver mon entreprise' }).click()
}

/** Checks that the page fits the screen and has no serious axe violations. */
async function fine(page: Page, heading: string): Promise<void> {
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
  expect(await seriousFaults(page)).toEqual([])
  const wide = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')
  expect(wide, heading).toBe(false)
}

inBrowser(
  'a company becomes a borrower in French on a phone, in two sessions',
  async () => {
    const { id, link, company } = await begun('https://partner.example/back')
    const page = await open(PHONE)
    await page.goto(link)
    await fine(page, 'Votre entreprise')
    await nameCompany(page, '404833047')
    await page.getByText('Aucune entreprise ne correspond à ce numéro').waitFor()
    expect(await page.getByLabel('Numéro d’entreprise').getAttribute('aria-invalid')).toBe('true')
    await nameCompany(page, company.identifier)
    await fine(page, 'Est-ce votre entreprise ?')
    await page.getByRole('button', { name: 'Oui, continuer' }).click()
    await fine(page, 'Représentant légal')
    await page.getByRole('button', { name: 'Continuer' }).click()
    expect(await page.getByText('Veuillez remplir ce champ.').count()).toBe(4)
    // Each attempt moves the focus to the first invalid field.
    for (const key of ['', 'Enter']) {
      if (key) await page.getByRole('button', { name: 'Continuer' }).press(key)
      await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('first_name')
    }
    const fields = { Prénom: 'Anna', Nom: 'Martin', 'E-mail professionnel': 'anna@example.com' }
    for (const [label, text] of Object.entries(fields)) {
      await page.getByLabel(label, { exact: true }).fill(text)
    }
    await page.getByLabel('Date de naissance').fill('2020-05-17')
    await page.getByRole('button', { name: 'Continuer' }).click()
    await page.getByText('Saisissez la date de naissance d’une personne majeure.').waitFor()
    await page.getByLabel('Date de naissance').fill('1980-05-17')
    await page.getByRole('button', { name: 'Continuer' }).click()
    await fine(page, 'Comment souhaitez-vous rembourser ?')
    await page.context().close()

    const again = await open(PHONE)
    await again.goto(link)
    await fine(again, 'Comment souhaitez-vous rembourser ?')
    await again.getByText('En signant ce formulaire de mandat').waitFor()
    await again.getByLabel('IBAN de l’entreprise').fill(company.account_number!)
    await again.getByLabel('BIC').fill(company.bank_identifier!)
    await again.getByRole('button', { name: 'Continuer' }).click()
    await fine(again, 'Lire et signer')
    const sign = again.getByRole('button', { name: 'Signer en tant que Anna Martin' })
    await sign.click()
    await again.getByText('Acceptez les conditions pour continuer.').waitFor()
    await again.getByLabel('J’ai lu les conditions').check()
    await again.getByLabel('Je donne le mandat').check()
    await sign.click()
    await fine(again, 'Bienvenue !')
    await again.getByText('Nous vous envoyons vos documents par e-mail.').waitFor()
    await app.drain()
    const { data: mails } = await app.client.listSandboxMailbox({ to: 'anna@example.com' })
    const papers = mails.flatMap(({ attachments }) => attachments.map(({ filename }) => filename))
    expect(papers).toHaveLength(2)
    const back = again.getByRole('link', { name: 'Retour vers Demo Payments' })
    expect(await back.getAttribute('href')).toBe('https://partner.example/back')
    const { status, borrower_id } = await app.client.getOnboarding({ onboarding_id: id })
    expect(status).toBe('COMPLETED')
    const borrower = await app.client.getBorrower({ borrower_id: borrower_id! })
    expect(borrower).toMatchObject({ status: 'READY', preferred_language: 'fr' })
  },
  240_000,
)

inBrowser('an invalid link and a known company get a friendly message', async () => {
  const { link, company } = await begun()
  const page = await open({ locale: 'de-DE' })
  await page.goto(link.replace(/.$/, last => (last === 'A' ? 'B' : 'A')))
  await fine(page, 'Dieser Link ist unvollständig')
  await app.client.createBorrower({ identifier: company.identifier })
  await page.goto(link)
  await page.getByRole('combobox', { name: 'Langue' }).selectOption('en')
  await fine(page, 'Your company')
  await page.getByLabel('Company number').fill(company.identifier)
  await page.getByRole('button', { name: 'Find my company' }).click()
  await fine(page, 'This company is known already')
})

inBrowser('after 24 hours the page shows that it has expired, even while in use', async () => {
  const { link, company } = await begun()
  const page = await open({ ...PHONE, colorScheme: 'dark' })
  await page.goto(link)
  await fine(page, 'Votre entreprise')
  await app.client.advanceSandboxClock({ days: 1 })
  await nameCompany(page, company.identifier)
  await fine(page, 'Ce lien a expiré')
  await page.reload()
  await fine(page, 'Ce lien a expiré')
})

inBrowser('a company becomes a borrower without a mouse', async () => {
  const { id, link, company } = await begun()
  const page = await open({ locale: 'fr-FR' })
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
  const typeInto = async (field: RegExp, text: string) => {
    await tabTo(page, field)
    await page.keyboard.type(text)
  }
  await page.goto(link)
  await heading('Votre entreprise')
  await typeInto(/^Numéro d’entreprise/, company.identifier)
  await page.keyboard.press('Enter')
  await heading('Est-ce votre entreprise ?')
  await tabTo(page, /^Oui, continuer$/)
  await page.keyboard.press('Enter')
  await heading('Représentant légal')
  await typeInto(/^Prénom/, 'Anna')
  await typeInto(/^Nom/, 'Martin')
  // Day, month and year, in French order.
  await typeInto(/^Date de naissance/, '17051980')
  await typeInto(/^E-mail professionnel/, 'anna@example.com')
  await page.keyboard.press('Enter')
  await heading('Comment souhaitez-vous rembourser ?')
  await typeInto(/^IBAN de l’entreprise/, company.account_number!)
  await typeInto(/^BIC/, company.bank_identifier!)
  await page.keyboard.press('Enter')
  await heading('Lire et signer')
  await tabTo(page, /^J’ai lu les conditions/)
  await page.keyboard.press('Space')
  await tabTo(page, /^Je donne le mandat/)
  await page.keyboard.press('Space')
  await tabTo(page, /^Signer en tant que Anna Martin$/)
  await page.keyboard.press('Enter')
  await heading('Bienvenue !')
  const { status } = await app.client.getOnboarding({ onboarding_id: id })
  expect(status).toBe('COMPLETED')
})
