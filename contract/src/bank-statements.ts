/** The bank's account statements. The bank sends them, so no operation creates them. */
import { machine } from './define.ts'

export const bankStatementMachine = machine({
  name: 'bank_statement',
  about: 'A statement of one of the lender’s bank accounts, refused whole if it does not tie.',
  initial: 'RECEIVING',
  statuses: ['RECEIVING', 'RECEIVED', 'BOOKING', 'BOOKED', 'REFUSED'],
  transitions: [
    { from: 'RECEIVING', trigger: 'receive', to: 'RECEIVED' },
    { from: 'RECEIVED', trigger: 'accept', to: 'BOOKING' },
    { from: 'BOOKING', trigger: 'book', to: 'BOOKED' },
    { from: 'RECEIVED', trigger: 'refuse', to: 'REFUSED' },
    { from: 'REFUSED', trigger: 'check_again', to: 'RECEIVED' },
  ],
})
