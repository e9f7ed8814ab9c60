/** Proposes and approves write-offs. */
import { approveWriteOff, proposeWriteOff } from '../../src/credit/loans/index.ts'
import { day } from '../../src/platform/kit/dates.ts'
import type { TestApp } from './app.ts'
import { asOperator, createOperatorId } from './operators.ts'

/** Proposes a write-off; returns the proposal's ID. */
export async function propose(app: TestApp, by: string, loan: { id: string }, on: string) {
  const input = { loan_id: loan.id, written_off_on: day(on), reason: 'Insolvent, no assets' }
  return asOperator(app, tx => proposeWriteOff(tx.as(by), input))
}

/** Writes a loan off: one new operator proposes, another approves. */
export async function writeOff(app: TestApp, loan: { id: string }, on: string): Promise<void> {
  const [ann, ben] = [await createOperatorId(app), await createOperatorId(app)]
  const id = await propose(app, ann, loan, on)
  await asOperator(app, tx => approveWriteOff(tx.as(ben), id))
}
