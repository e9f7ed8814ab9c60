/**
 * `npm run demo`: runs loans from request to repayment on a running sandbox, with the SDK, and
 * checks the results. Advances the sandbox clock. Exits with 1 if anything differs.
 */
import { connectToSandbox, NoSandbox } from './demo/connect.ts'
import { debitedLoan } from './demo/debited-loan.ts'
import { debtors } from './demo/debtors.ts'
import { onboard } from './demo/onboarding.ts'
import { otherOutcomes } from './demo/other-outcomes.ts'
import { inWords, UnexpectedResult } from './demo/output.ts'
import { startReceiver } from './demo/receiver.ts'
import { today } from './demo/story.ts'
import { transferredLoan } from './demo/transferred-loan.ts'
import { verifyBooks } from './demo/verify.ts'
import { waitingWork } from './demo/waiting-work.ts'
import { showWebhooks, statusesReached } from './demo/webhooks.ts'

async function demo(): Promise<void> {
  const { client, agent, base_url } = await connectToSandbox()
  const receiver = await startReceiver(client)
  const story = { client, agent, base_url, receiver }
  try {
    const began = await today(story)
    console.log(`Headroom at ${base_url}, where today is ${inWords(began)}.`)
    console.log("This moves the sandbox's clock forward by four to six months;")
    console.log('POST /sandbox/reset empties the sandbox and brings it back to real time.')
    const company = await onboard(story)
    const debited = await debitedLoan(story, company)
    const transferred = await transferredLoan(story)
    await otherOutcomes(story)
    await debtors(story)
    await waitingWork(story, company)
    await showWebhooks(story, [debited, transferred])
    await statusesReached(story)
    await verifyBooks()
    const seconds = Math.round(performance.now() / 1000)
    console.log(
      `\nAll as expected, in ${seconds} s. In the sandbox it is ${inWords(await today(story))}.`,
    )
  } finally {
    await receiver.close()
  }
}

demo().catch((error: unknown) => {
  const expected = error instanceof NoSandbox || error instanceof UnexpectedResult
  const prefix = error instanceof UnexpectedResult ? '\nNOT AS EXPECTED  ' : '\n'
  console.error(expected ? prefix + error.message : error)
  process.exitCode = 1
})
