/** Words of the mails in Spanish. */
import type { MailTexts } from './keys.ts'

export const es: MailTexts = {
  greeting: recipient => `Buenos días, ${recipient}:`,
  closing: 'Un cordial saludo',
  questions: email => `¿Alguna pregunta? Escriba a ${email}.`,
  contract_ready: {
    subject: reference => `Su préstamo ${reference} está aprobado`,
    body: 'Su préstamo está aprobado. Adjuntamos el contrato de préstamo; consérvelo, por favor.',
  },
  bill_sent: {
    subject: (number, period) => `Factura de intereses ${number}, ${period}`,
    body: period => `Adjuntamos la factura de intereses ${period}.`,
    debited: (
      amount,
      day,
      mandate,
    ) => `El ${day} se adeudarán ${amount} en su cuenta con la orden de
      domiciliación ${mandate}. No tiene que hacer nada; procure que la cuenta tenga fondos.`,
    transfer: day => `Rogamos transferir el importe de modo que llegue a más tardar el ${day}:`,
    wallet: day => `El importe se carga en su monedero dedicado el ${day}.`,
    nothing: 'No queda nada por pagar.',
  },
  payout_done: {
    subject: reference => `Su préstamo ${reference} está desembolsado`,
    body: (
      amount,
      day,
    ) => `Hemos abonado ${amount} en su cuenta el ${day}. Los intereses cuentan desde
      ese día.`,
  },
  repaid: {
    subject: reference => `Su préstamo ${reference} está reembolsado`,
    body: (
      amount,
      day,
    ) => `El principal de su préstamo, ${amount}, quedó reembolsado por completo el
      ${day}. Desde ese día no devenga intereses. Gracias.`,
    interest: amount => `Quedan intereses por ${amount}, que figurarán en su próxima factura.`,
    closed: 'Ya no se debe nada por este préstamo.',
  },
  postponed: {
    subject: reference => `El vencimiento de su préstamo ${reference} se aplaza`,
    body: (before, day) => `Como se ha acordado, su préstamo vence ahora el ${day} en lugar del
      ${before}. Los intereses siguen contando hasta el reembolso. Solo cabe un aplazamiento.`,
  },
  labels: {
    loan: 'Préstamo',
    amount: 'Importe',
    payout_on: 'Fecha de desembolso',
    repay_on: 'Fecha de reembolso',
    interest_estimated: 'Intereses si se reembolsa según lo acordado',
    account: 'Cuenta',
    bill: 'Factura',
    to_pay: 'Importe a pagar',
    due_on: 'Vencimiento',
  },
}
