/** The closed list of problems: each error code with its status, title and what to do. */

interface Problem {
  readonly status: number
  readonly title: string
  readonly meaning: string
}

function problemTable<const T extends Record<string, Problem>>(table: T): T {
  return table
}

export const problems = problemTable({
  header_invalid: {
    status: 400,
    title: 'A header is wrong',
    meaning: 'The request line or a header cannot be understood; invalid_params names which.',
  },
  body_malformed: {
    status: 422,
    title: 'The body cannot be read',
    meaning:
      'The body must be well-formed JSON in UTF-8, at most 32 levels deep, or the form that the ' +
      'operation takes. Check quotes, commas, boundary and encoding.',
  },
  direct_debit_missing: {
    status: 400,
    title: 'There is no direct debit',
    meaning:
      'The borrower has no direct debit that is ready to collect by. Enable one, then repeat this.',
  },
  decision_required: {
    status: 400,
    title: 'A decision is required',
    meaning:
      'An agent may write only what a person approved: send X-Decision-Id, a UUID, ' +
      'of an approved decision.',
  },
  decision_id_invalid: {
    status: 400,
    title: 'X-Decision-Id is not a UUID',
    meaning: 'Send the id of an approved decision in X-Decision-Id, once, as a UUID.',
  },
  key_missing: {
    status: 401,
    title: 'No key was sent',
    meaning: 'Send the header "Authorization: Bearer <key>".',
  },
  key_invalid: {
    status: 401,
    title: 'The key is not valid',
    meaning: 'The key is unknown, expired or revoked. Create or rotate a key and send that one.',
  },
  session_missing: {
    status: 401,
    title: 'Nobody has signed in',
    meaning: 'Sign in first: the session has ended, or there was none.',
  },
  sign_in_refused: {
    status: 401,
    title: 'E-mail or password is wrong',
    meaning: 'There is nobody of that e-mail with that password, or the person was disabled.',
  },
  code_required: {
    status: 401,
    title: 'A code is needed',
    meaning: 'A second factor is set up: send the six digits of the authenticator as code.',
  },
  code_refused: {
    status: 403,
    title: 'The code is wrong',
    meaning: 'The six digits are not those of this half minute, or were used already.',
  },
  role_missing: {
    status: 403,
    title: 'Your role may not do this',
    meaning: "The lender's own people do this, with the role that detail names.",
  },
  totp_required: {
    status: 403,
    title: 'Set up a second factor first',
    meaning: 'A live deployment opens to people with a second factor only: set one up.',
  },
  csrf_refused: {
    status: 403,
    title: 'The request does not come from the console',
    meaning: 'Send the csrf_token of the session as X-CSRF-Token with everything that writes.',
  },
  scope_missing: {
    status: 403,
    title: 'The key may not do this',
    meaning: 'The key lacks the scope of this operation. Create a key that has it.',
  },
  partner_suspended: {
    status: 403,
    title: 'The account is suspended',
    meaning: 'The lender has suspended this partner. Reads still work; contact the lender.',
  },
  agent_refused: {
    status: 403,
    title: 'Not for agents',
    meaning: 'Operations of the sandbox are for people; no decision lets an agent do them.',
  },
  origin_refused: {
    status: 403,
    title: 'Not from this page',
    meaning: 'A browser sent this from a page that is not ours. Call from a program instead.',
  },
  decision_unapproved: {
    status: 403,
    title: 'The decision is not approved',
    meaning: 'Only an APPROVED decision lets anything be done; detail names its status.',
  },
  proposer_unrecognised: {
    status: 403,
    title: 'You may not act on decisions',
    meaning: 'Whoever acts on a decision needs a key with the scope decisions:propose.',
  },
  proposer_mismatched: {
    status: 403,
    title: 'The decision is not yours',
    meaning: 'Only the caller who proposed a decision acts on it or withdraws it.',
  },
  operation_unplanned: {
    status: 403,
    title: 'The decision does not plan this',
    meaning:
      'No step whose turn it is has this method, path and resolved body, in the same version.',
  },
  step_executed: {
    status: 403,
    title: 'This step was executed before',
    meaning: 'Each step is executed once. Read the decision for the recorded answer.',
  },
  reviewer_not_human: {
    status: 403,
    title: 'Only a person reviews',
    meaning: 'Decisions are approved and rejected by people, never by an agent.',
  },
  reviewer_is_proposer: {
    status: 403,
    title: 'You cannot review your own proposal',
    meaning: 'Ask another operator to approve or reject this decision.',
  },
  borrower_token_missing: {
    status: 403,
    title: "The borrower's access token is needed",
    meaning: 'Only the borrower itself may do this: mint an access token and send that.',
  },
  signature_invalid: {
    status: 403,
    title: 'The address is not valid any more',
    meaning: 'Signed addresses expire. Read the resource again for a fresh one.',
  },
  route_unknown: {
    status: 404,
    title: 'No such address',
    meaning: 'Nothing is served at this path. See /docs for what is.',
  },
  method_unsupported: {
    status: 405,
    title: 'The method is not allowed here',
    meaning: 'The path exists, but not with this method. The header Allow lists those it has.',
  },
  resource_unknown: {
    status: 404,
    title: 'Not found',
    meaning: 'It does not exist, or it is not yours.',
  },
  decision_unknown: {
    status: 404,
    title: 'No such decision',
    meaning: 'No decision exists for the X-Decision-Id that was sent.',
  },
  borrower_exists: {
    status: 409,
    title: 'This company is already a borrower',
    meaning:
      'The same company, under this or another of its numbers, exists; resource_id names it.',
  },
  duplicate_request: {
    status: 409,
    title: 'This salt was used for something else',
    meaning: 'The salt_id belongs to an earlier request with other content; resource_id names it.',
  },
  idempotency_conflict: {
    status: 409,
    title: 'This idempotency key was used for something else',
    meaning: 'The key belongs to an earlier request with other content or of another operation.',
  },
  request_running: {
    status: 409,
    title: 'The same request is still running',
    meaning: 'Wait for the first request to answer, then repeat this one.',
  },
  state_conflict: {
    status: 409,
    title: 'Its state does not allow this',
    meaning: 'The resource is in a status from which this step does not lead on; detail names it.',
  },
  change_refused: {
    status: 409,
    title: 'The rules refuse this change',
    meaning:
      'A loan changed like this would not be granted; detail names the denial code. Nothing ' +
      'was changed.',
  },
  already_postponed: {
    status: 409,
    title: 'It was postponed before',
    meaning:
      'The repayment date of a running loan is put off once. It may still be brought forward.',
  },
  collection_frozen: {
    status: 409,
    title: 'The debit is on its way',
    meaning:
      'The collection is less than three banking days ahead: its date, amount and method stand.',
  },
  batch_incomplete: {
    status: 409,
    title: 'Announced data have not come',
    meaning: 'invalid_params names what is missing; send it, or announce a new batch.',
  },
  money_owed: {
    status: 409,
    title: 'Money is still owed',
    meaning: 'invalid_params lists each loan that is not settled, and what it owes.',
  },
  delivery_unavailable: {
    status: 409,
    title: 'This delivery cannot be repeated',
    meaning: 'The webhook is disabled or the delivery is still under way.',
  },
  case_exists: {
    status: 409,
    title: 'There is a case already',
    meaning:
      'A loan or a bill is in one open recollection case at most; resource_id names the case.',
  },
  limit_reached: {
    status: 409,
    title: 'There may be no more of these',
    meaning: 'As many as allowed exist already; detail names the limit. Delete one first.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    meaning:
      'The body is larger than this operation takes; detail names the limits. Send less at once.',
  },
  media_type_unsupported: {
    status: 415,
    title: 'This kind of body is not accepted',
    meaning: 'Send application/json, or multipart/form-data where a file is uploaded.',
  },
  request_invalid: {
    status: 422,
    title: 'The request does not parse',
    meaning:
      'invalid_params names every fault at once, up to twenty; faults_count is the number of ' +
      'all. Nothing was written.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning: 'Wait for the seconds in Retry-After, then go on.',
  },
  internal_error: {
    status: 500,
    title: 'Our fault',
    meaning:
      'Something failed on our side and nothing was written. Name the request_id to the operator.',
  },
  not_ready: {
    status: 503,
    title: 'Not ready',
    meaning:
      'The server starts, stops, has lost its database or is busy with the same data. Try again.',
  },
  connections_exhausted: {
    status: 503,
    title: 'Too busy',
    meaning: 'No database connection was free in time. Nothing was written: try again shortly.',
  },
  storage_full: {
    status: 503,
    title: 'The storage is full',
    meaning: 'The database has no disk space left. Nothing was written; reads may still work.',
  },
  account_unavailable: {
    status: 503,
    title: 'No account is left',
    meaning:
      'A loan that finances an invoice is repaid to an account of its own, and the bank has none ' +
      'left. Nothing was written. The lender must extend its range of accounts.',
  },
  processor_unavailable: {
    status: 503,
    title: 'The card processor did not answer',
    meaning: 'The order stands and is asked again by itself. Repeat the request to see.',
  },
  outcome_unknown: {
    status: 504,
    title: 'The outcome is unknown',
    meaning:
      'The database was lost during the commit. Repeat the request with the same ' +
      'Idempotency-Key or salt_id: it takes effect once.',
  },
  timed_out: {
    status: 504,
    title: 'It took too long',
    meaning:
      'No answer within 30 s, or 60 s in the back office. Repeat a write with the same ' +
      'Idempotency-Key or salt_id: it takes effect once.',
  },
})

export type ProblemCode = keyof typeof problems
