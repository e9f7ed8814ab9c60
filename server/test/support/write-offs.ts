/** Write-offs by two operators. */
import { approveWriteOff, proposeWriteOff } from '../../src/credit/loans/index.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { atDesk, operatorOf } from './desk.ts'
import type { TestHouse } from './house.ts'

/** Returns the ID of the proposal. */
export async function propose(house: TestHouse, by: string, loan: { id: string }, on: string) {
  const wish = { loan_id: loan.id, written_off_on: day(on), reason: 'Insolvent, no assets' }
  return atDesk(house, tx => proposeWriteOff(tx, by, wish))
}

/** Proposed by one operator, approved by another. */
export async function writeOff(house: TestHouse, loan: { id: string }, on: string): Promise<void> {
  const [ann, ben] = [await operatorOf(house), await operatorOf(house)]
  const id = await propose(house, ann, loan, on)
  await atDesk(house, tx => approveWriteOff(tx, ben, id))
}
