/** The SEPA mandate's texts in German (as agreed by the German banks for both schemes). */
import type { MandateTexts } from './keys.ts'

export const de: MandateTexts = {
  title: { CORE: 'SEPA-Lastschriftmandat', B2B: 'SEPA-Firmenlastschrift-Mandat' },
  authorisation: {
    CORE: creditor => `Wir ermächtigen (A) ${creditor}, Zahlungen von unserem Konto mittels
      Lastschrift einzuziehen. Zugleich (B) weisen wir unser Kreditinstitut an, die von ${creditor}
      auf unser Konto gezogenen Lastschriften einzulösen. Hinweis: Wir können innerhalb von acht
      Wochen, beginnend mit dem Belastungsdatum, die Erstattung des belasteten Betrages verlangen.
      Es gelten dabei die mit unserem Kreditinstitut vereinbarten Bedingungen.`,
    B2B: creditor => `Wir ermächtigen (A) ${creditor}, Zahlungen von unserem Konto mittels
      Lastschrift einzuziehen. Zugleich (B) weisen wir unser Kreditinstitut an, die von ${creditor}
      auf unser Konto gezogenen Lastschriften einzulösen. Hinweis: Dieses Lastschriftmandat dient
      nur dem Einzug von Lastschriften, die auf Konten von Unternehmen gezogen sind. Wir sind nicht
      berechtigt, nach der erfolgten Einlösung eine Erstattung des belasteten Betrages zu verlangen.
      Wir sind berechtigt, unser Kreditinstitut bis zum Fälligkeitstag anzuweisen, Lastschriften
      nicht einzulösen.`,
  },
  note: {
    CORE: `Ihre Rechte zu diesem Mandat sind in einem Merkblatt erläutert, das Sie von Ihrem
      Kreditinstitut erhalten können.`,
    B2B: `Bitte bestätigen Sie dieses Mandat vor der ersten Lastschrift gegenüber Ihrem
      Kreditinstitut: Ohne diese Bestätigung darf es sie nicht einlösen.`,
  },
  creditor: 'Zahlungsempfänger (Gläubiger)',
  debtor: 'Zahlungspflichtiger (Kontoinhaber)',
  account: 'Zu belastendes Konto',
  payment_type: 'Zahlungsart',
  recurrent: 'Wiederkehrende Zahlung',
  signed_on: 'Datum der Unterschrift',
  signatory: 'Unterzeichner',
  signature: 'Unterschrift des Zahlungspflichtigen',
  electronic: 'Elektronisch unterzeichnet',
}
