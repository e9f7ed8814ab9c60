/**
 * Credit lines: how much a borrower may owe at any time. A line is created once a borrower has
 * signed and can repay. A scorecard sets its limit from registry data, shared data and past
 * repayments. Lines are assessed on new data, after repayments and periodically, and the results
 * are stored with their inputs. Operators can override limits and add scorecards. The amounts lent
 * and reserved change only under the locks of `balances.ts`. The module also shows the products
 * that draw on a line.
 */
export { addScorecard } from './add-scorecard.ts'
export { assessLines } from './assess-lines.ts'
export {
  asLockedLine,
  changeLines,
  exposureLockCtes,
  type LineChange,
  type LockedLine,
  lineChangeStatement,
  lockExposure,
  readLinesForEvents,
  type WithLockedLine,
} from './balances.ts'
export { closeLine } from './close-line.ts'
export { createCreditLineIfDue } from './create-credit-line.ts'
export { endOverrides } from './end-overrides.ts'
export { estimatedLimit } from './estimate-limit.ts'
export { financialProductViews } from './financial-products.ts'
export { lineFollowsMainMethod } from './follow-main-method.ts'
export { scorecardInForce } from './inputs.ts'
export {
  approveOverride,
  endOverride,
  type LimitOverrideRequest,
  limitFaults,
  overrideLimit,
  rejectOverride,
} from './override-limit.ts'
export { creditLineViews, readLimitsOf } from './queries.ts'
export { assessAfterData, assessAfterRepayment, reassess, reassessDueLines } from './reassess.ts'
export { verifyLimits } from './verify.ts'
