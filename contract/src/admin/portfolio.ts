/** The portfolio today and at the end of each day, for charts. */
import { z } from 'zod'
import { Cents, DayAnswer, digits, Id } from '../shared.ts'
import { adminTable } from './define.ts'

/** Amounts at the end of a day, and flows booked during it. */
export const PortfolioDay = z
  .object({
    on: DayAnswer,
    outstanding: Cents,
    /** Available credit: what borrowers can draw, within their partners' ceilings. */
    available: Cents,
    late: Cents,
    loans_running: z.int(),
    paid_out: Cents,
    repaid: Cents,
    interest_earned: Cents,
  })
  .meta({ id: 'PortfolioDay' })
export type PortfolioDay = z.infer<typeof PortfolioDay>

export const Standing = z
  .object({
    outstanding: Cents,
    /** Available credit: what borrowers can draw now, within their partners' ceilings. */
    available: Cents,
    late: Cents,
    loans_running: z.int(),
  })
  .meta({ id: 'Standing' })
export type Standing = z.infer<typeof Standing>

export const Portfolio = z
  .object({
    days: z.array(PortfolioDay),
    /** Today's overdue loans by days past due, longest overdue last. */
    aging: z.array(z.object({ bucket: z.string(), loans: z.int(), principal: Cents })),
  })
  .meta({ id: 'Portfolio' })
export type Portfolio = z.infer<typeof Portfolio>

const ofPartner = { partner_id: Id.optional() }
const SCOPE_NOTE = 'Of one partner, or of all. People of a partner see their own world.'

export const portfolioOperations = adminTable({
  getStanding: {
    method: 'GET',
    path: '/admin/standing',
    summary: 'How the business stands',
    description: SCOPE_NOTE,
    requires: 'session',
    success: 200,
    query: z.strictObject(ofPartner),
    answer: Standing,
    problems: ['resource_unknown'],
  },
  getPortfolio: {
    method: 'GET',
    path: '/admin/portfolio',
    summary: 'How the business stood at the end of each of the last days, and what is late',
    description: SCOPE_NOTE,
    requires: 'session',
    success: 200,
    query: z.strictObject({
      ...ofPartner,
      days: digits(z.int().min(1).max(400).default(90)),
    }),
    answer: Portfolio,
    problems: ['resource_unknown'],
  },
})
