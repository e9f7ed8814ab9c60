/** What an operator does with borrowers: blocks one, lets it draw again, ends lending to it. */
import { DenialCode } from '@headroom/contract'
import { blockByHand, prohibitBorrower, unblockByHand } from '../../companies/borrowers/index.ts'
import { type Action, done } from './desk-action.ts'

export const BORROWER_ACTIONS: Record<string, Action> = {
  'block-borrower': {
    usage: 'block-borrower BORROWER_ID CODE',
    words: 2,
    run: (tx, actor, [id, code]) => done(blockByHand(tx, actor, id!, readCode(code!))),
  },
  'unblock-borrower': {
    usage: 'unblock-borrower BORROWER_ID',
    words: 1,
    run: (tx, actor, [id]) => done(unblockByHand(tx, actor, id!)),
  },
  'prohibit-borrower': {
    usage: 'prohibit-borrower BORROWER_ID CODE',
    words: 2,
    run: (tx, actor, [id, code]) => done(prohibitBorrower(tx, actor, id!, readCode(code!))),
  },
}

/** Throws an Error for people. */
export function readCode(code: string): DenialCode {
  const found = DenialCode.safeParse(code)
  if (!found.success) throw new Error(`${code} is no denial code`)
  return found.data
}
