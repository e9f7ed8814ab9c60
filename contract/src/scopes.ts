/** What a key may be allowed to do. A key without a list of scopes has them all. */
export const scopes = [
  'borrowers:read',
  'borrowers:write',
  'counterparties:read',
  'counterparties:write',
  'business_data:read',
  'business_data:write',
  'credit_lines:read',
  'invoices:read',
  'invoices:write',
  'loans:read',
  'loans:write',
  'payments:read',
  'referrers:read',
  'referrers:write',
  'bills:read',
  'bills:write',
  'events:read',
  'webhooks:read',
  'webhooks:write',
  'keys:read',
  'keys:write',
  'sandbox',
] as const

export type Scope = (typeof scopes)[number]
