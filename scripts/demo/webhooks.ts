/** Seventh chapter: the webhooks the partner received. */
import { machines } from '@headroom/contract'
import { verifyWebhook } from '@headroom/sdk'
import { expect, printChapter, printStep, UnexpectedResult, until } from './output.ts'
import type { Story } from './story.ts'

/**
 * Waits for the webhooks that report the closing of these loans, and checks that an altered message
 * is refused.
 */
export async function showWebhooks(story: Story, closed_loans: string[]): Promise<void> {
  printChapter('What webhooks told')
  const { receiver } = story
  for (const loan_id of closed_loans) {
    await until(`the webhook Loan.CLOSED of ${loan_id}`, () =>
      receiver.messages.some(m => m.type === 'Loan.CLOSED' && m.data.id === loan_id),
    )
  }
  expect('deliveries with a wrong signature', receiver.refused(), 0)
  const count = receiver.messages.length
  printStep(`${count} webhooks came in at ${receiver.url}; every signature was verified.`)
  const [loan_id] = closed_loans
  const order = receiver.messages.filter(m => m.type.startsWith('Loan.') && idOf(m) === loan_id)
  printStep(
    'In order, of the first loan:',
    order.map(m => m.type.slice('Loan.'.length)).join(' → '),
  )
  rejectForgedEvent(story)
}

function idOf(message: { data: unknown }): unknown {
  return (message.data as { id?: unknown }).id
}

function rejectForgedEvent({ receiver }: Story): void {
  const { body, headers } = receiver.last()!
  const forged = body.replace('"type"', '"kind"')
  try {
    verifyWebhook(forged, headers, receiver.secret)
  } catch {
    printStep('The same message with one word changed is refused: its signature does not fit.')
    return
  }
  throw new UnexpectedResult('a forged webhook passed for a real one')
}

/** Statuses that only an operator can reach, which a partner's demo therefore does not show. */
const BY_OPERATOR = ['DELETED']

/** Resources whose events are named after the new status. */
const REPORTED = ['borrower', 'loan', 'payment', 'bill'] as const

/** Prints the statuses reached, by resource; requires all of a loan that operators do not set. */
export async function statusesReached({ receiver }: Story): Promise<void> {
  printChapter('Every status reached')
  const reached = (name: (typeof REPORTED)[number]) => {
    const types = new Set(receiver.messages.map(message => message.type.toUpperCase()))
    return machines[name].statuses.filter(status => types.has(`${name.toUpperCase()}.${status}`))
  }
  const wanted = machines.loan.statuses.filter(status => !BY_OPERATOR.includes(status))
  await until('every status of a loan is reached', () => reached('loan').length >= wanted.length)
  expect('the statuses of loans', reached('loan'), wanted)
  for (const name of REPORTED) printStep(name.padEnd(10) + reached(name).join(', '))
}
