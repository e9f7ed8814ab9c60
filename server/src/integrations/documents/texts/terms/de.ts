/** Allgemeine Bedingungen der Kreditlinie: general terms in German. */
import { count } from '../../format.ts'
import type { TermsFacts, TermsSection, TermsText } from './facts.ts'

/** Dative plural, for use after "von", "nach" and "innerhalb von". */
const tagen = (n: number) => count(n, 'Tag', 'Tagen')
const tage = (n: number) => count(n, 'Tag', 'Tage')
const banktage = (n: number) => count(n, 'Bankarbeitstag', 'Bankarbeitstage')

export const de: TermsText = {
  title: 'Allgemeine Bedingungen der gewerblichen Kreditlinie',
  sections: f => [...relation(f), ...credit(f), ...price(f), ...money(f), ...closing(f)],
}

function relation(f: TermsFacts): TermsSection[] {
  return [
    {
      heading: 'Parteien und Gegenstand',
      paragraphs: [
        `Diese Bedingungen regeln die Kreditlinie „${f.product.name}“, die ${f.lender.name},
        ${f.lender.registration}, ${f.lender.address} („Kreditgeber“), dem Unternehmen einräumt,
        das sie annimmt („Kreditnehmer“).`,
        `Die Kreditlinie dient ausschließlich gewerblichen Zwecken. Verbrauchern steht sie nicht
        offen; der Kreditnehmer bestätigt, im Rahmen seines Geschäftsbetriebs zu handeln.`,
        `Der Kreditnehmer nutzt den Dienst über eine Plattform („Partner“), die seine Anträge
        weiterleitet und ihm deren Stand zeigt. Der Partner ist nicht Partei der Kredite.`,
      ],
    },
    {
      heading: 'Annahme und Unterlagen',
      paragraphs: [
        `Dies ist die Fassung ${f.version}. Sie kann vor der Annahme in folgenden Sprachen gelesen
        werden: ${f.languages}. Maßgeblich ist die Fassung in der Sprache, die der Kreditnehmer
        angenommen hat.`,
        `Wer annimmt, erklärt, den Kreditnehmer verpflichten zu dürfen. Die Annahme wird
        elektronisch mit Datum und Uhrzeit festgehalten, der angenommene Text wird aufbewahrt.`,
        `Zu jedem Kredit wird mit seiner Bewilligung ein Kreditvertrag erstellt, per E-Mail
        zugesandt und jederzeit abrufbar gehalten. Weicht er von diesen Bedingungen ab, geht der
        Kreditvertrag vor. Bankarbeitstag ist ein Tag, an dem das Zahlungssystem TARGET geöffnet
        ist; Tage beginnen und enden nach der Zeitzone von Paris.`,
      ],
    },
  ]
}

function credit(f: TermsFacts): TermsSection[] {
  const p = f.product
  const invoice = {
    heading: 'Rechnungsfinanzierung',
    paragraphs: [
      `Ein Kredit wird gegen eine Rechnung gewährt, die der Kreditnehmer für gelieferte Waren oder
      erbrachte Leistungen ausgestellt hat. Er kann einen Teil der Rechnung decken, nie mehr als
      die Rechnung; mehrere Kredite auf eine Rechnung bleiben zusammen in deren Höhe.`,
      `Der Rückzahlungstag liegt zwischen ${tagen(p.days_min)} und ${tagen(p.days_max)} nach dem
      Auszahlungstag. Der Kreditnehmer schuldet die Rückzahlung unabhängig davon, ob sein Kunde
      gezahlt hat.`,
    ],
  }
  const wallet = {
    heading: 'Wallet-Finanzierung',
    paragraphs: [
      `Ein Kredit wird auf ein Konto oder Wallet ausgezahlt, das auf den Kreditnehmer selbst
      lautet; eine Rechnung ist nicht nötig. Eine Auszahlung an Dritte ist ausgeschlossen, der
      Kreditgeber prüft den Kontoinhaber.`,
      `Der Rückzahlungstag liegt höchstens ${tage(p.days_max)} nach dem Auszahlungstag.`,
    ],
  }
  return [
    {
      heading: 'Die Kreditlinie',
      paragraphs: [
        `Die Kreditlinie ist der höchste Kapitalbetrag, den der Kreditnehmer jeweils in Anspruch
        nehmen kann. Der Kreditgeber bemisst sie nach Finanz- und Umsatzdaten: Registern, Erlösen,
        Zahlungsverhalten sowie Konto- und Geschäftsdaten, die der Kreditnehmer oder der Partner
        mitteilt. Der Kreditnehmer kann die Gründe für seine Grenze erfragen.`,
        `Sie wird eröffnet, sobald der Kreditnehmer diese Bedingungen angenommen hat und ein
        Rückzahlungsweg eingerichtet ist. Verfügbar ist die Grenze abzüglich offener Kredite und
        der für beantragte Kredite vorgemerkten Beträge. Sie gilt ${tage(p.line_days)} und wird
        bei neuen Daten und nach jeder Rückzahlung neu bemessen. Der Kreditgeber kann sie senken
        oder einen Kredit ablehnen und nennt dann den Grund; bereits ausgezahlte Kredite bleiben
        unberührt.`,
      ],
    },
    p.product_type === 'WALLET_FINANCING' ? wallet : invoice,
    {
      heading: 'Antrag, Bewilligung und Auszahlung',
      paragraphs: [
        `Ein Kredit wird im Rahmen der verfügbaren Kreditlinie beantragt. Er wird erst bewilligt,
        wenn die gesetzlich vorgeschriebene Prüfung (Identität, wirtschaftlich Berechtigte,
        Herkunft der Mittel) bestanden ist; bis dahin ruht der Antrag.`,
        `Der Kredit wird in ${p.currency} am vereinbarten Tag ausgezahlt. Was nach ${p.cut_off} Uhr
        (Pariser Zeit) oder an einem Tag bewilligt wird, der kein Bankarbeitstag ist, wird am
        nächsten Bankarbeitstag ausgezahlt.`,
      ],
    },
  ]
}

function price(f: TermsFacts): TermsSection[] {
  return [
    {
      heading: 'Zinsen',
      paragraphs: [
        `Die Zinsen betragen ${f.rate} des offenen Kapitals je Tag, ohne Zinseszins; auf ein Jahr
        von 365 Tagen ist das ein Nominalzins von ${f.annual_rate}. Sie laufen vom Wertstellungstag
        der Auszahlung bis zum Tag vor der Wertstellung der Rückzahlung, für jeden Tag auf das
        Kapital, das an dessen Ende offen ist.`,
        `Zinsen = offenes Kapital × ${f.rate} × Tage. Gerundet wird nur der Gesamtbetrag eines
        Kredits, einmal, auf den nächsten Cent (der halbe Cent auf den geraden). Beispiel:
        ${f.example.amount} für ${tage(f.example.days)} kosten ${f.example.interest}.`,
        `Der Kreditgeber erhebt kein Entgelt für Eröffnung, Führung oder Nichtnutzung der
        Kreditlinie und keines für einen Kredit. Ein Entgelt, das der Kreditnehmer mit dem Partner
        vereinbart hat, steht als eigene Zeile auf der Abrechnung. Auf Zinsen fällt keine
        Umsatzsteuer an (${f.vat_article}).`,
      ],
    },
    {
      heading: 'Monatliche Abrechnung',
      paragraphs: [
        `Die Zinsen eines Monats werden für alle Kredite zu Beginn des Folgemonats abgerechnet. Die
        Abrechnung wird am 1. erstellt, am ersten Bankarbeitstag geprüft und versandt und ist am
        ${f.bill_due_day} Bankarbeitstag des Monats fällig. Sie nennt jeden Kredit mit Tagen und
        Beträgen.`,
        `Hat der Partner die Zinsen übernommen, erhält er die Abrechnung, und der Kreditnehmer
        schuldet nur das Kapital. Eine fehlerhafte Abrechnung wird ersetzt oder durch eine Zeile
        der nächsten berichtigt; ein Guthaben des Zahlers wird mit offenen Abrechnungen verrechnet
        oder ausgezahlt.`,
      ],
    },
  ]
}

function money(f: TermsFacts): TermsSection[] {
  const p = f.product
  return [
    {
      heading: 'Rückzahlung',
      paragraphs: [
        `Jeder Kredit wird am Rückzahlungstag in einer Summe zurückgezahlt: durch SEPA-Lastschrift,
        durch SEPA-Überweisung auf die IBAN und mit dem Verwendungszweck aus dem Kreditvertrag oder
        durch Einzug von einem eigenen Wallet des Kreditnehmers. Fällt er nicht auf einen
        Bankarbeitstag, so gilt der nächste.`,
        `Der Kreditnehmer kann den Rückzahlungsweg jederzeit wechseln. Der Wechsel erfasst alle
        Lastschriften, die mehr als ${banktage(p.change_notice_days)} entfernt sind. Ist ein neues
        Mandat nicht nutzbar, bleibt es beim bisherigen Weg.`,
      ],
    },
    {
      heading: 'Lastschrift',
      paragraphs: [
        `Für Lastschriften erteilt der Kreditnehmer dem Kreditgeber ein SEPA-Mandat als Basis- oder
        Firmenlastschrift (Gläubiger-Identifikationsnummer ${f.creditor_identifier}). Der
        Kreditvertrag kündigt den Einzug des Kapitals an, die Abrechnung den der Zinsen. Die
        Parteien verkürzen die Frist dieser Vorabankündigung auf ${tage(p.prenotification_days)}
        vor der Belastung.`,
        `Eine zurückgegebene oder erstattete Lastschrift gilt als nicht eingegangen: Der Betrag ist
        wieder offen, die Zinsen laufen weiter. Der Kreditgeber legt sie nicht von sich aus erneut
        vor. Ein Mandat erlischt nach 36 Monaten ohne Einzug.`,
      ],
    },
    {
      heading: 'Verrechnung von Zahlungen',
      paragraphs: [
        `Zahlungen, die den Verwendungszweck einer Abrechnung tragen oder für sie eingezogen
        werden, tilgen diese Abrechnung. Alle anderen Zahlungen tilgen zuerst das offene Kapital,
        dann abgerechnete Zinsen, die ältesten zuerst, dann aufgelaufene, noch nicht abgerechnete
        Zinsen; der Rest geht auf das Konto zurück, von dem er kam.`,
        `Eine Überweisung, die Kredite nennt, tilgt nur diese, den zuerst fälligen zuerst. Eine
        Überweisung des Kreditnehmers, die keinen Kredit nennt, tilgt zuerst den Kredit mit dem
        frühesten vertraglichen Rückzahlungstag. Was sich nicht sicher zuordnen lässt, wird
        verwahrt und nach ${tagen(p.suspense_days)} zurückgesandt.`,
      ],
    },
    {
      heading: 'Vorzeitige Rückzahlung und Änderung des Tages',
      paragraphs: [
        `Ein Kredit kann jederzeit ganz oder teilweise vorzeitig zurückgezahlt werden, ohne Entgelt
        und ohne Entschädigung. Ab der Wertstellung fallen auf das Zurückgezahlte keine Zinsen
        mehr an.`,
        `Der Rückzahlungstag kann einmal innerhalb der oben genannten Höchstdauer verschoben und
        beliebig oft vorgezogen werden. Bei Lastschrift dauert eine Änderung
        ${banktage(p.change_notice_days)}.`,
      ],
    },
    {
      heading: 'Verzug',
      paragraphs: [
        `Die Zinsen laufen zum selben Satz bis zur Rückzahlung weiter; einen Strafzins gibt es
        nicht. Die ersten ${tage(p.grace_days)} Verspätung haben keine weitere Folge. Ab Tag
        ${f.suspension_day} wird kein neuer Kredit gewährt, bis alles Fällige bezahlt ist.
        Erinnert wird an den Tagen ${f.reminder_days}.`,
        `An Tag ${p.case_days} wird ein Beitreibungsvorgang eröffnet. Die Parteien können dann einen
        Ratenplan mit den darin genannten Beitreibungskosten vereinbaren. Bleibt eine Rate länger
        als ${tage(p.grace_days)} offen, endet der Plan, und alles wird sofort fällig.`,
        `Eine Abrechnung, die ${tage(p.bill_grace_days)} nach Fälligkeit offen ist, sperrt das
        Konto, bis sie bezahlt ist.`,
      ],
    },
  ]
}

function closing(f: TermsFacts): TermsSection[] {
  return [
    {
      heading: 'Pflichten des Kreditnehmers',
      paragraphs: [
        `Der Kreditnehmer macht richtige und vollständige Angaben, meldet unverzüglich jede Änderung
        von Rechtsform, Leitung, wirtschaftlich Berechtigten oder Bankkonten und teilt mit, wenn er
        fällige Schulden nicht mehr bezahlen kann.`,
      ],
    },
    {
      heading: 'Laufzeit und Änderungen',
      paragraphs: [
        `Der Vertrag läuft auf unbestimmte Zeit. Jede Partei kann ihn in Textform mit einer Frist
        von ${tagen(f.product.notice_days)} kündigen; aus wichtigem Grund, etwa bei falschen
        Angaben, kann der Kreditgeber fristlos kündigen. Bereits ausgezahlte Kredite bleiben an
        ihren Tagen fällig.`,
        `Änderungen dieser Bedingungen werden ${tage(f.product.notice_days)} vor ihrem Wirksamwerden
        angekündigt und betreffen nie bereits ausgezahlte Kredite. Der Kreditnehmer kann sie
        ablehnen, indem er kostenfrei kündigt.`,
        `Der Kreditgeber darf seine Forderungen abtreten, insbesondere zur Refinanzierung. Die mit
        dem Kreditnehmer vereinbarten Bedingungen bleiben dieselben.`,
      ],
    },
    {
      heading: 'Datenschutz und Vertraulichkeit',
      paragraphs: [
        `Der Kreditgeber ist Verantwortlicher für die personenbezogenen Daten der Vertreter und
        wirtschaftlich Berechtigten. Er verarbeitet sie, um den Vertrag zu erfüllen, das
        Kreditrisiko zu beurteilen und gesetzliche Pflichten gegen Geldwäsche und
        Terrorismusfinanzierung zu erfüllen (Verordnung (EU) 2016/679, Art. 6 Abs. 1 Buchst. b, c
        und f). Sie werden für die Dauer des Vertrags und danach so lange aufbewahrt, wie das
        Gesetz es verlangt.`,
        `Betroffene können Auskunft, Berichtigung, Löschung und Einschränkung verlangen, der
        Verarbeitung widersprechen und eine automatisierte Entscheidung durch einen Menschen prüfen
        lassen: ${f.lender.email}. Sie können sich bei der zuständigen Aufsichtsbehörde beschweren
        (${f.country}: ${f.law.authority}). Der Kreditgeber behandelt die Angelegenheiten des
        Kreditnehmers vertraulich, außer, soweit nötig, gegenüber dem Partner, Dienstleistern und
        Refinanzierern.`,
      ],
    },
    {
      heading: 'Recht und Gerichtsstand',
      paragraphs: [
        `Für diese Bedingungen und alle Kredite aufgrund ihrer gilt ${f.law.law}. Ausschließlicher
        Gerichtsstand ist ${f.law.court_seat}, soweit nicht zwingend ein anderer gilt. Die
        Parteien suchen zuerst eine gütliche Lösung; Beschwerden gehen an ${f.lender.email}. Ist
        eine Bestimmung unwirksam, bleiben die übrigen bestehen.`,
      ],
    },
  ]
}
