/** General terms of the credit line, in English. */
import { count } from '../../format.ts'
import type { TermsFacts, TermsSection, TermsText } from './facts.ts'

const days = (n: number) => count(n, 'day', 'days')
const bankingDays = (n: number) => count(n, 'banking day', 'banking days')

export const en: TermsText = {
  title: 'General terms of the business credit line',
  sections: f => [...relation(f), ...credit(f), ...price(f), ...money(f), ...closing(f)],
}

function relation(f: TermsFacts): TermsSection[] {
  return [
    {
      heading: 'Parties and subject',
      paragraphs: [
        `These terms govern the credit line “${f.product.name}” which ${f.lender.name},
        ${f.lender.registration}, ${f.lender.address} (the “lender”) opens for the company that
        accepts them (the “borrower”).`,
        `The credit line serves professional purposes only. It is not open to consumers; the
        borrower confirms that it acts in the course of its business.`,
        `The borrower uses the service through a platform (the “partner”), which passes on its
        requests and shows it their state. The partner is not a party to the loans.`,
      ],
    },
    {
      heading: 'Acceptance and documents',
      paragraphs: [
        `This is version ${f.version} of the terms. It can be read before it is accepted, in
        these languages: ${f.languages}. The version in the language that the borrower accepted
        is the binding one.`,
        `Whoever accepts declares to be entitled to bind the borrower. Acceptance is recorded
        electronically with its date and time, and the accepted text is kept.`,
        `For each loan a loan agreement is drawn up when the loan is approved. It is sent by
        e-mail and can be fetched again at any time. Where it differs from these terms, the loan
        agreement prevails. A banking day is a day on which the TARGET payment system is open;
        days begin and end in the time zone of Paris.`,
      ],
    },
  ]
}

function credit(f: TermsFacts): TermsSection[] {
  const p = f.product
  const invoice = {
    heading: 'Invoice financing',
    paragraphs: [
      `A loan is granted against an invoice that the borrower has issued for goods delivered or
      services rendered. It may cover part of the invoice, never more than the invoice; several
      loans on one invoice together stay within its amount.`,
      `The repayment date lies between ${days(p.days_min)} and ${days(p.days_max)} after the
      payout date. The borrower owes repayment whether or not its customer has paid.`,
    ],
  }
  const wallet = {
    heading: 'Wallet financing',
    paragraphs: [
      `A loan is paid out to an account or a wallet held by the borrower itself; no invoice is
      needed. A payout to a third party is excluded, and the lender verifies the holder of the
      account.`,
      `The repayment date lies at most ${days(p.days_max)} after the payout date.`,
    ],
  }
  return [
    {
      heading: 'The credit line',
      paragraphs: [
        `The credit line is the highest amount of principal that the borrower may use at any time.
        The lender sets it from financial and transactional data: company registers, revenue,
        payment history, accounts and activity data that the borrower or the partner shares. The
        borrower may ask for the reasons behind its limit.`,
        `It opens once the borrower has accepted these terms and a repayment method is enabled.
        What is available is the limit less outstanding loans and amounts reserved for requested
        ones. It is valid for ${days(p.line_days)} and is assessed again on new data and after
        each repayment. The lender may lower it, or refuse a loan, and then gives the reason;
        loans already paid out are not affected.`,
      ],
    },
    p.product_type === 'WALLET_FINANCING' ? wallet : invoice,
    {
      heading: 'Request, approval and payout',
      paragraphs: [
        `A loan is requested for an amount within the available credit line. It is approved only
        once the verification of the borrower required by law (identity, beneficial owners,
        origin of funds) has been passed; until then the request waits.`,
        `The loan is paid out in ${p.currency} on the agreed date. What is approved after
        ${p.cut_off} (Paris time), or on a day that is not a banking day, is paid out on the next
        banking day.`,
      ],
    },
  ]
}

function price(f: TermsFacts): TermsSection[] {
  return [
    {
      heading: 'Interest',
      paragraphs: [
        `Interest is ${f.rate} a day of the outstanding principal, without compounding; over a
        year of 365 days this is a nominal rate of ${f.annual_rate}. It counts from the value date
        of the payout to the day before the value date of the repayment, for each day on what is
        outstanding at its end.`,
        `Interest = outstanding principal × ${f.rate} × days. Only the total of a loan is rounded,
        once, to the nearest cent (half a cent to the even cent). Example:
        ${f.example.amount} for ${days(f.example.days)} costs ${f.example.interest}.`,
        `The lender charges no fee for opening, holding or not using the credit line, nor for a
        loan. A fee that the borrower has agreed with the partner is a line of its own on the
        bill. No VAT is added to interest (${f.vat_article}).`,
      ],
    },
    {
      heading: 'Monthly bill',
      paragraphs: [
        `The interest of a month on all loans is billed at the start of the next one. The bill is
        drawn up on the 1st, validated and sent on the first banking day, and due on the
        ${f.bill_due_day} banking day of the month. It names each loan with its days and amounts.`,
        `Where the partner has agreed to bear the interest, the bill goes to the partner and the
        borrower owes principal only. A bill found wrong is replaced, or corrected by a line on
        the next bill; if the balance favours the payer it is set off against open bills or paid
        back.`,
      ],
    },
  ]
}

function money(f: TermsFacts): TermsSection[] {
  const p = f.product
  return [
    {
      heading: 'Repayment',
      paragraphs: [
        `Each loan is repaid in one sum on its repayment date, by SEPA direct debit, by SEPA credit
        transfer to the IBAN and with the reference that the loan agreement names, or by debit of
        a dedicated wallet of the borrower. A date that is not a banking day moves to the next
        one.`,
        `The borrower may change its repayment method at any time. The change reaches every debit
        that lies more than ${bankingDays(p.change_notice_days)} ahead. If a new mandate cannot be
        used, the former method stays in force.`,
      ],
    },
    {
      heading: 'Direct debit',
      paragraphs: [
        `For direct debits the borrower signs a SEPA mandate, Core or business-to-business, in
        favour of the lender (creditor identifier ${f.creditor_identifier}). The loan agreement
        announces the debit of the principal, the bill that of the interest. The parties shorten
        the period of this pre-notification to ${days(p.prenotification_days)} before the debit.`,
        `A debit that is returned or refunded is treated as if it had not been received: the
        amount is owed again and interest counts on. The lender does not present it again of its
        own accord. A mandate lapses after 36 months without a debit.`,
      ],
    },
    {
      heading: 'Order in which money is used',
      paragraphs: [
        `Money that carries the reference of a bill, or is debited for it, pays that bill. All
        other money pays first the outstanding principal, then interest already billed, the oldest
        first, then interest accrued but not yet billed; what is left is refunded to the account
        it came from.`,
        `A transfer that names loans pays these loans only, the earliest due first. A transfer
        from the borrower that names no loan pays the loan with the earliest contractual
        repayment date first. Money that cannot be attributed for certain is set aside and goes
        back after ${days(p.suspense_days)}.`,
      ],
    },
    {
      heading: 'Early repayment and change of date',
      paragraphs: [
        `A loan may be repaid early at any time, in whole or in part, free of charge. From the
        value date on, no interest accrues on what has been repaid.`,
        `The repayment date may be postponed once, within the longest term above, and brought
        forward as often as wished. With direct debit a change takes
        ${bankingDays(p.change_notice_days)}.`,
      ],
    },
    {
      heading: 'Late payment',
      paragraphs: [
        `Interest goes on at the same rate until repayment; there is no penalty rate. The first
        ${days(p.grace_days)} of lateness have no other effect. From day ${f.suspension_day} on
        no new loan is granted until everything due is paid. Reminders go out on days
        ${f.reminder_days}.`,
        `On day ${p.case_days} a recollection case opens. The parties may then agree on an
        installment plan, with the recollection fees stated in it. If an installment stays unpaid
        for more than ${days(p.grace_days)}, the plan ends and everything is due at once.`,
        `A bill unpaid ${days(p.bill_grace_days)} after its due date suspends the account until it
        is paid.`,
      ],
    },
  ]
}

function closing(f: TermsFacts): TermsSection[] {
  return [
    {
      heading: 'Duties of the borrower',
      paragraphs: [
        `The borrower gives true and complete information, reports at once any change of its legal
        form, management, beneficial owners or bank accounts, and tells the lender when it can no
        longer pay its debts as they fall due.`,
      ],
    },
    {
      heading: 'Term and amendments',
      paragraphs: [
        `The agreement has no fixed end. Either party may end it in writing with
        ${days(f.product.notice_days)} of notice; for serious cause, such as false information,
        the lender may end it at once. Loans already paid out stay due on their dates.`,
        `Changes of these terms are announced ${days(f.product.notice_days)} before they take
        effect and never concern loans already paid out. The borrower may refuse them by ending
        the agreement free of charge.`,
        `The lender may assign its claims, in particular to refinance itself. The terms agreed
        with the borrower stay the same.`,
      ],
    },
    {
      heading: 'Data protection and confidentiality',
      paragraphs: [
        `The lender is the controller of the personal data of representatives and beneficial
        owners. It processes them to perform the agreement, to assess credit risk, and to meet its
        legal duties against money laundering and terrorist financing (Regulation (EU) 2016/679,
        Art. 6(1)(b), (c) and (f)). Data are kept as long as the agreement runs and the law
        demands afterwards.`,
        `The persons concerned may have their data disclosed, corrected, erased or restricted,
        object to their use, and ask that a person review an automated decision:
        ${f.lender.email}. They may complain to the competent authority
        (${f.country}: ${f.law.authority}). The lender keeps the borrower’s affairs confidential,
        save towards the partner, its service providers and refinancing parties as far as needed.`,
      ],
    },
    {
      heading: 'Law and courts',
      paragraphs: [
        `These terms and all loans under them are governed by ${f.law.law}. The courts of
        ${f.law.court_seat} alone decide on disputes, unless the law names another court.
        The parties first seek an amicable solution; complaints go to ${f.lender.email}. If a
        provision is void, the others stand.`,
      ],
    },
  ]
}
