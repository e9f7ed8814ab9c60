/** Files exchanged with a bank: their state machines. */
import { machine } from './define.ts'

export const orderFileMachine = machine({
  name: 'order_file',
  about: 'A file with payment orders, which is always delivered under one name.',
  initial: 'WRITTEN',
  statuses: [
    'WRITTEN',
    'UNKNOWN',
    'SENT',
    'WAITING_AUTHORISATION',
    'ACCEPTED',
    'PARTLY_ACCEPTED',
    'REJECTED',
  ],
  transitions: [
    { from: 'WRITTEN', trigger: 'deliver', to: 'SENT' },
    { from: 'WRITTEN', trigger: 'deliver_for_authorisation', to: 'WAITING_AUTHORISATION' },
    { from: 'WRITTEN', trigger: 'lose', to: 'UNKNOWN' },
    { from: 'WRITTEN', trigger: 'accept', to: 'ACCEPTED' },
    { from: 'WRITTEN', trigger: 'accept_partly', to: 'PARTLY_ACCEPTED' },
    { from: 'WRITTEN', trigger: 'reject', to: 'REJECTED' },
    { from: 'UNKNOWN', trigger: 'deliver', to: 'SENT' },
    { from: 'UNKNOWN', trigger: 'deliver_for_authorisation', to: 'WAITING_AUTHORISATION' },
    { from: 'UNKNOWN', trigger: 'accept', to: 'ACCEPTED' },
    { from: 'UNKNOWN', trigger: 'accept_partly', to: 'PARTLY_ACCEPTED' },
    { from: 'UNKNOWN', trigger: 'reject', to: 'REJECTED' },
    { from: 'SENT', trigger: 'accept', to: 'ACCEPTED' },
    { from: 'SENT', trigger: 'accept_partly', to: 'PARTLY_ACCEPTED' },
    { from: 'SENT', trigger: 'reject', to: 'REJECTED' },
    { from: 'WAITING_AUTHORISATION', trigger: 'accept', to: 'ACCEPTED' },
    { from: 'WAITING_AUTHORISATION', trigger: 'accept_partly', to: 'PARTLY_ACCEPTED' },
    { from: 'WAITING_AUTHORISATION', trigger: 'reject', to: 'REJECTED' },
    { from: 'ACCEPTED', trigger: 'accept_partly', to: 'PARTLY_ACCEPTED' },
    { from: 'ACCEPTED', trigger: 'reject', to: 'REJECTED' },
    { from: 'PARTLY_ACCEPTED', trigger: 'reject', to: 'REJECTED' },
  ],
})

export const bankFileMachine = machine({
  name: 'bank_file',
  about: 'A file received from the bank, stored as it came.',
  initial: 'RECEIVED',
  statuses: ['RECEIVED', 'READ', 'REFUSED'],
  transitions: [
    { from: 'RECEIVED', trigger: 'read', to: 'READ' },
    { from: 'RECEIVED', trigger: 'refuse', to: 'REFUSED' },
    { from: 'READ', trigger: 'reopen', to: 'RECEIVED' },
    { from: 'REFUSED', trigger: 'reopen', to: 'RECEIVED' },
  ],
})
