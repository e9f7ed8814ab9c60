/** The card statement: a card's purchases in a period and what was spent in total. */
import { formatDay } from '../../platform/kit/dates.ts'
import { formatMoney } from '../../platform/kit/money.ts'
import type { Column, PaperDocument } from './blocks.ts'
import { lenderLines, paper, partyLines } from './format.ts'
import { TEXTS as BILLS } from './texts/bill/index.ts'
import { CARD_STATEMENT } from './texts/card-statement.ts'
import { COMMON } from './texts/common.ts'
import type { CardStatementInput } from './types.ts'

/** Lists all entries; only completed ones count towards the total. */
export function cardStatementDocument(input: CardStatementInput): PaperDocument {
  const { language, lines, card } = input
  const t = CARD_STATEMENT[language]
  const spent = lines.reduce((sum, l) => (l.status === 'completed' ? sum + l.amount : sum), 0n)
  const money = (cents: bigint, currency = input.currency) => formatMoney(cents, currency, language)
  const day = (of: CardStatementInput['period']['from']) => formatDay(of, language)
  const columns: Column[] = [
    { header: t.day, width: 20 },
    { header: t.merchant, width: 42 },
    { header: t.status, width: 20 },
    { header: t.amount, width: 18, align: 'right' },
  ]
  const groups = lines.map(line => [
    [day(line.on), line.merchant, t.statuses[line.status], money(line.amount, line.currency)],
  ])
  return {
    ...paper(input, t.title),
    blocks: [
      {
        kind: 'title',
        text: t.title,
        subtitle: BILLS[language].from_to(day(input.period.from), day(input.period.to)),
      },
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
          [t.card, `•••• ${card.last4} ${card.holder}`],
          [t.spent, money(spent)],
        ],
      },
      { kind: 'table', columns, groups },
    ],
  }
}
