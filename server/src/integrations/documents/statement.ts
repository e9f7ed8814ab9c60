/** The borrower's statement: every movement in a period and the balance after it. */
import { assert } from '../../platform/kit/assert.ts'
import { formatDay } from '../../platform/kit/dates.ts'
import { formatMoney } from '../../platform/kit/money.ts'
import type { Column, PaperDocument } from './blocks.ts'
import { lenderLines, paper, partyLines } from './format.ts'
import { TEXTS as BILLS } from './texts/bill/index.ts'
import { COMMON } from './texts/common.ts'
import { STATEMENT } from './texts/statement.ts'
import type { StatementInput } from './types.ts'

/**
 * The statement as a document. Throws an `ImpossibleError` if the movements do not explain the
 * change in balance.
 */
export function statementDocument(input: StatementInput): PaperDocument {
  const { language, lines } = input
  const t = STATEMENT[language]
  const moved = lines.reduce((sum, line) => sum + line.amount, 0n)
  assert(input.opening + moved === input.closing, 'the statement does not add up')
  const money = (cents: bigint) => formatMoney(cents, input.currency, language)
  const day = (of: StatementInput['period']['from']) => formatDay(of, language)
  const columns: Column[] = [
    { header: t.day, width: 20 },
    { header: t.loan, width: 30 },
    { header: t.movement, width: 18 },
    { header: t.amount, width: 16, align: 'right' },
    { header: t.balance, width: 16, align: 'right' },
  ]
  const groups = lines.map(line => [
    [
      day(line.on),
      line.loan_reference,
      t.kinds[line.kind],
      money(line.amount),
      money(line.balance),
    ],
  ])
  const period = BILLS[language].from_to(day(input.period.from), day(input.period.to))
  return {
    ...paper(input, t.title),
    blocks: [
      { kind: 'title', text: t.title, subtitle: period },
      {
        kind: 'parties',
        columns: [
          { heading: COMMON[language].lender, lines: lenderLines(input) },
          { heading: COMMON[language].borrower, lines: partyLines(input.borrower, language) },
        ],
      },
      {
        kind: 'highlight',
        rows: [
          [t.opening, money(input.opening)],
          [t.closing, money(input.closing)],
          [t.unbilled, money(input.unbilled)],
          [t.payoff, money(input.payoff)],
        ],
      },
      { kind: 'table', columns, groups },
    ],
  }
}
