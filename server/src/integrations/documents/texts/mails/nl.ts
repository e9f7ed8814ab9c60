/** The mails' texts in Dutch. */
import type { MailTexts } from './keys.ts'

export const nl: MailTexts = {
  greeting: recipient => `Beste ${recipient},`,
  closing: 'Met vriendelijke groet',
  questions: email => `Vragen? Schrijf naar ${email}.`,
  interest_runs: 'Tot de terugbetaling loopt de rente door.',
  terms_signed: {
    subject: lender => `Uw documenten van ${lender}`,
    body: 'Uw bedrijf heeft onze voorwaarden aanvaard. Ze zijn bijgevoegd; bewaar ze goed.',
    mandate: reference => `Ook uw SEPA-incassomachtiging ${reference} is bijgevoegd.`,
  },
  contract_ready: {
    subject: reference => `Uw lening ${reference} is goedgekeurd`,
    body: 'Uw lening is goedgekeurd. De leningsovereenkomst is bijgevoegd; bewaar haar goed.',
  },
  contract_amended: {
    subject: reference => `Wijziging van uw leningsovereenkomst ${reference}`,
    body: count => `Uw lening wordt voortaan terugbetaald volgens een betalingsplan van ${count}
termijnen. De gewijzigde leningsovereenkomst met het betalingsplan is bijgevoegd en vervangt de
vorige; bewaar haar goed.`,
  },
  bill_sent: {
    subject: (number, period) => `Rentenota ${number}, ${period}`,
    body: period => `Bijgevoegd vindt u de rentenota voor de periode ${period}.`,
    debited: (amount, day, mandate) => `Op ${day} wordt ${amount} van uw rekening afgeschreven met
      machtiging ${mandate}. U hoeft niets te doen; zorg alstublieft voor voldoende saldo.`,
    transfer: day => `Maak het bedrag alstublieft zo over dat het uiterlijk op ${day} binnen is:`,
    wallet: day => `Het bedrag wordt op ${day} van uw wallet afgeschreven.`,
    plan: 'De afgesproken betalingsregeling voldoet deze nota: u hoeft verder niets te betalen.',
    nothing: 'Er hoeft niets te worden betaald.',
  },
  bill_withdrawn: {
    subject: number => `Rentenota ${number} is ingetrokken`,
    body: (
      number,
      period,
    ) => `Onze rentenota ${number} was onjuist: na wat sindsdien bekend werd, is over de
      periode ${period} niets verschuldigd. De nota is ongeldig; betaal haar alstublieft niet.`,
  },
  credit_note: {
    subject: (number, period) => `Creditnota ${number}, ${period}`,
    body: period => `Bijgaand ontvangt u onze creditnota voor rente over ${period}.`,
    unpaid: amount => `${amount} was gefactureerd maar niet betaald en is niet meer verschuldigd.`,
    kept: amount => `${amount} blijft als tegoed staan en gaat van uw volgende nota af.`,
    set_off: amount => `${amount} wordt verrekend met openstaande nota’s, de oudste eerst.`,
    refund: (amount, day, iban) =>
      `Wij betalen ${amount} terug op rekening ${iban}; de overboeking gaat uit op ${day}.`,
  },
  revenue_share: {
    subject: period => `Uw aandeel in de opbrengst, ${period}`,
    body: (
      amount,
      day,
    ) => `Uw aandeel in de rente die door u aangebrachte klanten tot en met ${day} hebben
      betaald, is ${amount}. Stuur uw factuur voor dit bedrag alstublieft naar het platform;
      zij wordt betaald op de bankwerkdag nadat zij is ingediend.`,
  },
  payout_done: {
    subject: reference => `Uw lening ${reference} is uitbetaald`,
    body: (amount, day) => `Op ${day} hebben wij ${amount} op uw rekening uitbetaald.`,
    interest: 'Vanaf die dag loopt de rente.',
    transfer: `Betaal de lening alstublieft per overschrijving terug, elk bedrag uiterlijk op de
      vervaldatum, met het onderstaande kenmerk:`,
  },
  repaid: {
    subject: reference => `Uw lening ${reference} is terugbetaald`,
    body: (
      amount,
      day,
    ) => `De hoofdsom van uw lening, ${amount}, is op ${day} volledig terugbetaald.
      Vanaf die dag loopt er geen rente meer. Hartelijk dank.`,
    interest: amount => `Er staat nog ${amount} rente open; die komt op uw volgende nota.`,
    billed: amount => `Op een eerdere nota staat nog ${amount} rente open.`,
    closed: 'Op deze lening is niets meer verschuldigd.',
  },
  postponed: {
    subject: reference => `Uw lening ${reference} wordt later terugbetaald`,
    body: (before, day) => `Zoals afgesproken vervalt uw lening nu op ${day} in plaats van op
      ${before}.`,
    once: 'Uitstel kan één keer.',
  },
  debit_announced: {
    loan: reference => `Uw lening ${reference} wordt geïncasseerd`,
    bill: reference => `Uw nota ${reference} wordt geïncasseerd`,
    installment: reference => `Uw termijn ${reference} wordt geïncasseerd`,
    fee: reference => `Uw maandelijkse vergoeding ${reference} wordt geïncasseerd`,
    body: (
      amount,
      day,
    ) => `Op ${day} incasseren wij ${amount} van uw rekening. U hoeft niets te doen;
      zorg alstublieft voor voldoende saldo.`,
  },
  to_transfer: {
    fee: {
      subject: reference => `Maak uw maandelijkse vergoeding ${reference} over`,
      body: `Deze maandelijkse vergoeding wordt niet geïncasseerd. Maak
        haar alstublieft uiterlijk op de vervaldatum over, met haar kenmerk:`,
    },
    bill: {
      subject: reference => `Maak uw nota ${reference} over`,
      body: `De afschrijving van deze nota is mislukt of teruggeboekt en wordt niet herhaald. Maak
        het bedrag alstublieft over, met het kenmerk van de nota:`,
      reopened: `Een betaling die op deze nota in mindering was gebracht, telt niet meer, en geen
        afschrijving voldoet haar. Maak het bedrag alstublieft over, met het kenmerk van de nota:`,
    },
  },
  mandate_ended: {
    subject: mandate => `Uw incassomachtiging ${mandate} is beëindigd`,
    refused: (mandate, iban) => `Uw bank deelt ons mee dat van de rekening ${iban} niet kan worden
      geïncasseerd. De machtiging ${mandate} is daarom beëindigd: daarmee wordt niets meer
      geïncasseerd.`,
    unused: (
      mandate,
      iban,
    ) => `Met uw machtiging ${mandate} voor de rekening ${iban} is 36 maanden lang
      niets geïncasseerd. Zij is daarom vervallen: daarmee wordt niets meer geïncasseerd.`,
    set_up: `Stel alstublieft een andere wijze van terugbetalen in op het platform
      waarlangs u financiering krijgt. Tot dan kan u geen andere lening worden verstrekt.`,
    transfer: `Wat verschuldigd is, wordt niet meer geïncasseerd. Maak elk bedrag
      alstublieft uiterlijk op de vervaldatum over, met zijn kenmerk:`,
  },
  refund_reclaimed: {
    subject: reference => `Terugbetaling op lening ${reference} is weer verschuldigd`,
    body: (
      amount,
      day,
    ) => `Uw bank heeft een incasso op deze lening teruggeboekt. De overschrijving die
      wij als te veel betaald hadden behandeld, lost nu de lening af. De ${amount} die wij hebben
      teruggestort, bent u daarom weer verschuldigd. Het bedrag vervalt op ${day}.`,
    interest: 'Het draagt rente vanaf de dag van de terugstorting.',
    to_you: 'Wij hadden dit bedrag teruggestort op uw rekening.',
    to_payer: `Wij hadden dit bedrag teruggestort op de rekening waarvan de overschrijving kwam
      en die niet een van uw rekeningen is. U bent het toch verschuldigd: neem alstublieft contact
      op met degene die de overschrijving deed.`,
    to_both: amount => `Wij hadden dit bedrag teruggestort op uw rekening, op ${amount} na: die
      gingen naar de rekening waarvan de overschrijving kwam en die niet een van uw rekeningen is.
      U bent ook dat deel verschuldigd: neem alstublieft contact op met degene die de overschrijving
      deed.`,
    transfer: 'Maak het openstaande bedrag alstublieft over:',
  },
  late: {
    subject: reference => `Uw lening ${reference} is te laat`,
    body: (day, days) => `Uw lening verviel op ${day} en is niet terugbetaald: zij is ${days}
      ${days === 1 ? 'dag' : 'dagen'} te laat.`,
    suspended: 'Tot de terugbetaling kan u geen andere lening worden uitbetaald.',
    transfer: 'Maak het openstaande bedrag alstublieft meteen over:',
    debited: 'Dit bedrag wordt van uw rekening afgeschreven; maak het alstublieft niet ook over:',
  },
  installment_late: {
    subject: reference => `Een termijn van uw betalingsregeling ${reference} is te laat`,
    body: (day, days) => `De termijn die op ${day} verviel, is niet volledig betaald: zij is ${days}
      ${days === 1 ? 'dag' : 'dagen'} te laat.`,
    breaks: `Blijft zij onbetaald, dan eindigt de betalingsregeling en is het hele openstaande
      bedrag weer op de oorspronkelijke vervaldagen verschuldigd.`,
    transfer: 'Maak het achterstallige bedrag alstublieft meteen over:',
  },
  plan_broken: {
    subject: reference => `Uw betalingsregeling ${reference} is beëindigd`,
    body: (unpaid, day) => `Van de termijn die op ${day} verviel, is ${unpaid} ook na de
      respijtperiode niet betaald. Uw betalingsregeling is daarom beëindigd.`,
    stop: `De nog openstaande termijnen vervallen: betaal alstublieft niets meer op de
      betalingsregeling. Wat u nog verschuldigd bent, moet weer op de oorspronkelijke vervaldagen
      hieronder worden betaald.`,
    total: amount => `Op dit moment bent u in totaal ${amount} verschuldigd:`,
    to_bill: 'Rente waarvoor u nog geen nota kreeg, komt op uw volgende nota.',
    nothing: 'Er is niets meer verschuldigd.',
  },
  labels: {
    loan: 'Lening',
    amount: 'Bedrag',
    payout_on: 'Uitbetaaldatum',
    repay_on: 'Terugbetaaldatum',
    interest_estimated: 'Rente bij terugbetaling zoals afgesproken',
    account: 'Rekening',
    bill: 'Nota',
    installment: 'Termijn',
    fee: 'Maandelijkse vergoeding',
    to_pay: 'Te betalen',
    due_on: 'Vervaldatum',
    interest: 'Rente tot vandaag',
    mandate: 'Machtiging',
    creditor: 'Incassant-ID',
    principal: 'Openstaande hoofdsom',
    unbilled: 'Rente nog niet op een nota',
    debit: 'Geplande incasso',
    to_transfer: 'Over te maken bedrag',
  },
}
