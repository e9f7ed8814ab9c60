/** The closed list of problems: every error code with its status, title and what to do about it. */

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
    title: 'The body is not JSON',
    meaning: 'The body must be well-formed JSON in UTF-8. Check quotes, commas and encoding.',
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
  signature_invalid: {
    status: 403,
    title: 'The address is not valid any more',
    meaning: 'Signed addresses expire. Read the resource again for a fresh one.',
  },
  route_unknown: {
    status: 404,
    title: 'No such address',
    meaning: 'Nothing is served at this method and path. See /docs for what is.',
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
  limit_reached: {
    status: 409,
    title: 'There may be no more of these',
    meaning: 'As many as allowed exist already; detail names the limit. Delete one first.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    meaning: 'A body has at most 16 MB: send less at once.',
  },
  media_type_unsupported: {
    status: 415,
    title: 'This kind of body is not accepted',
    meaning: 'Send application/json.',
  },
  request_invalid: {
    status: 422,
    title: 'The request does not parse',
    meaning: 'invalid_params names every fault at once. Nothing was written.',
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
    meaning: 'The server is starting, stopping or has lost its database. Try again shortly.',
  },
  timed_out: {
    status: 504,
    title: 'It took too long',
    meaning: 'The answer was not there after 30 s. Repeat with the same Idempotency-Key.',
  },
})

export type ProblemCode = keyof typeof problems
