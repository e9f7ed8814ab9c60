/** Writes a file of as many debits as its argument says, and prints what the file contains. */
import { writeOrderFile } from '../../../src/integrations/bank-files/index.ts'
import { debitFile, debitOrder, generic, idOf } from './support.ts'

const number = Number(process.argv[2])
const orders = Array.from({ length: number }, (_, index) =>
  debitOrder(index, { amount: 99_999_999_999n - BigInt(index) }),
)
const bytes = writeOrderFile(debitFile(orders), { ...generic, orders_max: number })

const found = {
  orders: 0,
  sum: 0n,
  last: Buffer.from(bytes).includes(idOf(number - 1)),
  counts: [] as string[],
  sums: [] as string[],
}
for (const order of Buffer.from(bytes).toString('latin1').split('<DrctDbtTxInf>')) {
  const amount = /<InstdAmt Ccy="EUR">(\d+)\.(\d\d)</.exec(order)
  if (amount) {
    found.orders++
    found.sum += BigInt(`${amount[1]}${amount[2]}`)
  }
  found.counts.push(...[...order.matchAll(/<NbOfTxs>(.*?)</g)].map(([, text]) => text!))
  found.sums.push(...[...order.matchAll(/<CtrlSum>(.*?)</g)].map(([, text]) => text!))
}
console.log(JSON.stringify({ ...found, sum: String(found.sum) }))
