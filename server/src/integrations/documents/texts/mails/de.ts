/** The mails' texts in German. */
import type { MailTexts } from './keys.ts'

export const de: MailTexts = {
  greeting: recipient => `Guten Tag ${recipient},`,
  closing: 'Freundliche Grüße',
  questions: email => `Fragen? Schreiben Sie an ${email}.`,
  interest_runs: 'Bis zur Rückzahlung laufen die Zinsen weiter.',
  terms_signed: {
    subject: lender => `Ihre Unterlagen von ${lender}`,
    body: `Ihr Unternehmen hat unsere Bedingungen angenommen. Sie liegen bei; bitte bewahren Sie sie
      auf.`,
    mandate: reference => `Ihr SEPA-Lastschriftmandat ${reference} liegt ebenfalls bei.`,
  },
  contract_ready: {
    subject: reference => `Ihr Kredit ${reference} ist bewilligt`,
    body: `Ihr Kredit ist bewilligt. Der Kreditvertrag liegt bei; bitte bewahren Sie ihn auf.`,
  },
  contract_amended: {
    subject: reference => `Nachtrag zu Ihrem Kreditvertrag ${reference}`,
    body: count => `Ihr Kredit wird künftig nach einem Ratenplan mit ${count} Raten zurückgezahlt.
Der geänderte Kreditvertrag mit dem Ratenplan liegt bei und ersetzt den bisherigen; bitte bewahren
Sie ihn auf.`,
  },
  bill_sent: {
    subject: (number, period) => `Zinsabrechnung ${number}, ${period}`,
    body: period => `anbei erhalten Sie die Zinsabrechnung für den Zeitraum ${period}.`,
    debited: (
      amount,
      day,
      mandate,
    ) => `Am ${day} werden ${amount} mit dem Mandat ${mandate} von Ihrem
      Konto eingezogen. Sie müssen nichts tun; bitte sorgen Sie für Deckung.`,
    transfer: day => `Bitte überweisen Sie den Betrag so, dass er bis zum ${day} eingeht:`,
    wallet: day => `Der Betrag wird am ${day} von Ihrem Wallet eingezogen.`,
    plan: 'Der vereinbarte Ratenplan begleicht diese Abrechnung: Sonst ist nichts zu zahlen.',
    nothing: 'Es bleibt nichts zu zahlen.',
  },
  bill_withdrawn: {
    subject: number => `Zinsabrechnung ${number} ist storniert`,
    body: (
      number,
      period,
    ) => `unsere Zinsabrechnung ${number} war falsch: nach dem, was seither bekannt wurde, ist
      für den Zeitraum ${period} nichts geschuldet. Die Abrechnung ist ungültig; bitte zahlen
      Sie sie nicht.`,
  },
  credit_note: {
    subject: (number, period) => `Gutschrift ${number}, ${period}`,
    body: period => `anbei erhalten Sie unsere Gutschrift über Zinsen für die Zeit ${period}.`,
    unpaid: amount =>
      `${amount} waren abgerechnet, aber nicht bezahlt; sie sind nicht mehr geschuldet.`,
    kept: amount => `${amount} bleiben Ihnen gutgeschrieben und mindern Ihre nächste Abrechnung.`,
    set_off: amount => `${amount} werden mit offenen Abrechnungen verrechnet, den ältesten zuerst.`,
    refund: (amount, day, iban) =>
      `Wir zahlen ${amount} auf das Konto ${iban} zurück; die Überweisung geht am ${day} ab.`,
  },
  revenue_share: {
    subject: period => `Ihr Anteil an den Erlösen, ${period}`,
    body: (
      amount,
      day,
    ) => `Ihr Anteil an den Zinsen, die von Ihnen vermittelte Kunden bis zum ${day} gezahlt
      haben, beträgt ${amount}. Bitte senden Sie Ihre Rechnung über diesen Betrag an die
      Plattform; sie wird am Bankarbeitstag nach ihrem Eingang bezahlt.`,
  },
  payout_done: {
    subject: reference => `Ihr Kredit ${reference} ist ausgezahlt`,
    body: (amount, day) => `am ${day} haben wir ${amount} auf Ihr Konto ausgezahlt.`,
    interest: 'Von diesem Tag an laufen die Zinsen.',
    transfer: `Bitte zahlen Sie den Kredit per Überweisung zurück, jeden Betrag bis zu seiner
      Fälligkeit, mit dem unten genannten Verwendungszweck:`,
  },
  repaid: {
    subject: reference => `Ihr Kredit ${reference} ist zurückgezahlt`,
    body: (amount, day) => `das Kapital Ihres Kredits, ${amount}, ist seit dem ${day} vollständig
      zurückgezahlt. Von diesem Tag an fallen keine Zinsen mehr an. Vielen Dank.`,
    interest: amount => `Offen sind noch Zinsen von ${amount}; sie stehen auf der nächsten
      Abrechnung.`,
    billed: amount => `Auf einer früheren Abrechnung sind noch Zinsen von ${amount} offen.`,
    closed: 'Auf diesen Kredit ist nichts mehr geschuldet.',
  },
  postponed: {
    subject: reference => `Ihr Kredit ${reference} wird später zurückgezahlt`,
    body: (before, day) => `wie vereinbart ist Ihr Kredit nun am ${day} fällig statt am ${before}.`,
    once: 'Ein Aufschub ist nur einmal möglich.',
  },
  debit_announced: {
    loan: reference => `Ihr Kredit ${reference} wird eingezogen`,
    bill: reference => `Ihre Abrechnung ${reference} wird eingezogen`,
    installment: reference => `Ihre Rate ${reference} wird eingezogen`,
    fee: reference => `Ihre Monatsgebühr ${reference} wird eingezogen`,
    body: (
      amount,
      day,
    ) => `am ${day} ziehen wir ${amount} von Ihrem Konto ein. Sie brauchen nichts zu
      tun; bitte sorgen Sie für Deckung.`,
  },
  to_transfer: {
    fee: {
      subject: reference => `Bitte überweisen Sie Ihre Monatsgebühr ${reference}`,
      body: `diese Monatsgebühr wird nicht eingezogen. Bitte überweisen
        Sie sie bis zu ihrer Fälligkeit mit ihrer Referenz:`,
    },
    bill: {
      subject: reference => `Bitte überweisen Sie Ihre Abrechnung ${reference}`,
      body: `die Belastung für diese Abrechnung ist fehlgeschlagen oder wurde zurückgegeben und wird
        nicht wiederholt. Bitte überweisen Sie den Betrag mit der Referenz der Abrechnung:`,
      reopened: `eine Zahlung, die auf diese Abrechnung angerechnet war, zählt nicht mehr, und keine
        Belastung begleicht sie. Bitte überweisen Sie den Betrag mit der Referenz der Abrechnung:`,
    },
  },
  mandate_ended: {
    subject: mandate => `Ihr Lastschriftmandat ${mandate} ist beendet`,
    refused: (
      mandate,
      iban,
    ) => `Ihre Bank teilt uns mit, dass das Konto ${iban} nicht belastet werden kann.
      Das Mandat ${mandate} ist damit beendet: Damit wird nichts mehr eingezogen.`,
    unused: (
      mandate,
      iban,
    ) => `mit Ihrem Mandat ${mandate} für das Konto ${iban} wurde 36 Monate lang nichts
      eingezogen. Es ist damit erloschen: Damit wird nichts mehr eingezogen.`,
    set_up: `Bitte richten Sie auf der Plattform, über die Sie finanziert werden, einen
      anderen Rückzahlungsweg ein. Bis dahin kann Ihnen kein weiterer Kredit gewährt werden.`,
    transfer: `Was geschuldet ist, wird nicht mehr eingezogen. Bitte überweisen Sie
      jeden Betrag bis zu seiner Fälligkeit mit seiner Referenz:`,
  },
  refund_reclaimed: {
    subject: reference => `Erstattung zum Kredit ${reference} ist wieder geschuldet`,
    body: (amount, day) => `Ihre Bank hat eine Lastschrift zu diesem Kredit zurückgebucht. Die
      Überweisung, die wir als Überzahlung behandelt hatten, tilgt nun den Kredit. Die erstatteten
      ${amount} sind deshalb wieder geschuldet. Sie sind am ${day} fällig.`,
    interest: 'Sie werden ab dem Tag der Erstattung verzinst.',
    to_you: 'Wir hatten diesen Betrag auf Ihr Konto erstattet.',
    to_payer: `Wir hatten diesen Betrag auf das Konto erstattet, von dem die Überweisung kam und das
      keines Ihrer Konten ist. Sie schulden ihn dennoch: Bitte wenden Sie sich an den Auftraggeber
      der Überweisung.`,
    to_both: amount => `Wir hatten diesen Betrag auf Ihr Konto erstattet, bis auf ${amount}, die auf
      das Konto gingen, von dem die Überweisung kam und das keines Ihrer Konten ist. Sie schulden
      auch diesen Teil: Bitte wenden Sie sich an den Auftraggeber der Überweisung.`,
    transfer: 'Bitte überweisen Sie den offenen Betrag:',
  },
  late: {
    subject: reference => `Ihr Kredit ${reference} ist überfällig`,
    body: (day, days) => `Ihr Kredit war am ${day} fällig und ist nicht zurückgezahlt: Er ist seit
      ${days} ${days === 1 ? 'Tag' : 'Tagen'} überfällig.`,
    suspended: 'Bis zur Rückzahlung kann Ihnen kein weiterer Kredit ausgezahlt werden.',
    transfer: 'Bitte überweisen Sie den offenen Betrag umgehend:',
    debited:
      'Der Betrag wird von Ihrem Konto eingezogen; bitte überweisen Sie ihn nicht zusätzlich:',
  },
  installment_late: {
    subject: reference => `Eine Rate Ihres Ratenplans ${reference} ist überfällig`,
    body: (day, days) => `die am ${day} fällige Rate ist nicht vollständig bezahlt: Sie ist seit
      ${days} ${days === 1 ? 'Tag' : 'Tagen'} überfällig.`,
    breaks: `Bleibt sie unbezahlt, endet der Ratenplan, und der gesamte offene Betrag wird zu den
      ursprünglichen Terminen fällig.`,
    transfer: 'Bitte überweisen Sie den überfälligen Betrag umgehend:',
  },
  plan_broken: {
    subject: reference => `Ihr Ratenplan ${reference} ist beendet`,
    body: (unpaid, day) => `von der am ${day} fälligen Rate sind ${unpaid} auch nach Ablauf der
      Nachfrist offen. Ihr Ratenplan ist damit beendet.`,
    stop: `Die noch offenen Raten entfallen: Bitte zahlen Sie nichts mehr auf den Ratenplan. Was Sie
      noch schulden, ist wieder zu den unten genannten ursprünglichen Terminen fällig.`,
    total: amount => `Heute schulden Sie insgesamt ${amount}:`,
    to_bill: 'Noch nicht abgerechnete Zinsen stehen auf Ihrer nächsten Abrechnung.',
    nothing: 'Es ist nichts mehr geschuldet.',
  },
  labels: {
    loan: 'Kredit',
    amount: 'Betrag',
    payout_on: 'Auszahlungstag',
    repay_on: 'Rückzahlungstag',
    interest_estimated: 'Zinsen bei Rückzahlung wie vereinbart',
    account: 'Konto',
    bill: 'Abrechnung',
    installment: 'Rate',
    fee: 'Monatsgebühr',
    to_pay: 'Zu zahlen',
    due_on: 'Fällig am',
    interest: 'Zinsen bis heute',
    mandate: 'Mandat',
    creditor: 'Gläubiger-ID',
    principal: 'Offenes Kapital',
    unbilled: 'Noch nicht abgerechnete Zinsen',
    debit: 'Geplanter Einzug',
    to_transfer: 'Zu überweisen',
  },
}
