/**
 * Credit lines: the most a borrower can use at any time. The service creates one when a borrower
 * has signed and can repay. A scorecard sets its limit, from the register, from what partners
 * share and from what was repaid; it is asked again on new data, after each repayment and once a
 * month, and every answer is kept with what it looked at. Operators may set a limit by hand, and
 * add scorecards. What is lent and what is promised changes under the locks of `balances.ts` alone.
 * The products that draw on a line are shown here too, since what they allow depends on it.
 */
export { addScorecard } from './add-scorecard.ts'
export { assessLines } from './assess-lines.ts'
export {
  changeLines,
  changeOfLines,
  type LineChange,
  lockExposure,
  tellingLines,
  withExposureLocked,
} from './balances.ts'
export { closeLine } from './close-line.ts'
export { createCreditLineIfDue } from './create-credit-line.ts'
export { endOverrides } from './end-overrides.ts'
export { estimatedLimit } from './estimate-limit.ts'
export { financialProductViews } from './financial-products.ts'
export { scorecardInForce } from './inputs.ts'
export {
  approveOverride,
  endOverride,
  type LimitWish,
  limitFaults,
  overrideLimit,
  rejectOverride,
} from './override-limit.ts'
export { creditLineViews, readLimitsOf } from './queries.ts'
export { assessAfterData, assessAfterRepayment, reassess, renewLines } from './reassess.ts'
export { verifyLimits } from './verify.ts'
