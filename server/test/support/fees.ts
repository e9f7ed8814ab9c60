/** Sets a product's monthly fee, activates it for borrowers and reads its payments. */
import { changeProduct, readProductViews } from '../../src/companies/borrowers/index.ts'
import type { TestApp } from './app.ts'
import { asOperator, createOperatorId } from './operators.ts'

/** Sets the monthly fee of wallet financing, in cents. Products have no fee by default. */
export async function withFee(app: TestApp, monthly_fee = 990): Promise<void> {
  const actor = await createOperatorId(app)
  await asOperator(app, async tx => {
    const wallet = (await readProductViews(tx)).find(one => one.product_type === 'WALLET_FINANCING')
    const input = { change: { monthly_fee }, reason: 'The new price list.' }
    await changeProduct(tx.as(actor), wallet!.id, input)
  })
}

export async function subscriptionOf({ client }: TestApp, borrower_id: string) {
  const { data } = await client.listBorrowerFinancialProducts({ borrower_id })
  const wallet = data.find(one => one.financial_product.product_type === 'WALLET_FINANCING')
  return wallet!.financial_product.configuration.subscription
}

/** Activates a borrower's fee from the next month on. Returns the subscription ID. */
export async function activateFee(app: TestApp, borrower_id: string): Promise<string> {
  const { subscription_id } = await subscriptionOf(app, borrower_id)
  await app.client.activateSubscription({ subscription_id: subscription_id! })
  return subscription_id!
}

/** The payments for a subscription's fees, newest first. */
export async function feesOf({ client }: TestApp, subscription_id: string) {
  const { data } = await client.listPayments({ payment_type: ['SUBSCRIPTION'] })
  return data.filter(payment =>
    payment.related_to.subscriptions.some(one => one.subscription_id === subscription_id),
  )
}
