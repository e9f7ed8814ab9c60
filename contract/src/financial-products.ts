/** Financial products: those a borrower may use, and their configuration. */
import { z } from 'zod'
import { TERMS_COUNTRIES } from './countries.ts'
import { DenialCode } from './denial-codes.ts'
import { ContractType, PaymentMethod, PaymentType, ProductStatus, ProductType } from './enums.ts'
import { Id } from './shared.ts'

const BillingConfiguration = z.object({
  bill_overdue_threshold_in_days: z.int(),
  loan_overdue_threshold_in_days: z.int(),
  penalties_disabled: z.boolean(),
  fees_payers: z.array(
    z.object({
      billed_business_id: Id.nullable(),
      fees_payer_role: z.enum(['BENEFICIARY', 'BORROWER', 'GUARANTOR', 'PARTNER']),
      interests_tracking_time: z.enum(['MONTHLY', 'ORIGINATION_DATE']),
    }),
  ),
})

const SignatureConfiguration = z.object({
  automatic_signer: z
    .object({
      email: z.string(),
      first_name: z.string(),
      last_name: z.string(),
      ip_address: z.string(),
    })
    .nullable(),
  contract_template_name: z.enum([
    'DAILLY_CREDIT_AGREEMENT_TEMPLATE',
    'DAILLY_ESCOMPTE_TEMPLATE',
    'DIRECT_MASTER_LOAN_AGREEMENT_TEMPLATE',
    'TERMS_AND_CONDITIONS',
  ]),
  signing_fields: z.array(
    z.object({
      type: z.enum(['mention', 'signature']),
      mention: z.string().nullable(),
      page: z.int(),
      position_x: z.int(),
      position_y: z.int(),
      width: z.int(),
      height: z.int().nullable(),
    }),
  ),
})

const ContractTemplate = z.object({
  template_id: z.string(),
  country_code: z.string(),
  language_code: z.string(),
  is_default: z.boolean(),
  signature_config: SignatureConfiguration.nullable(),
})

const DepositingRule = z.object({
  base_amount: z.enum([
    'DUE_INTERESTS',
    'ESTIMATED_FEES',
    'FIXED_AMOUNT',
    'LOAN_AMOUNT',
    'LOAN_AMOUNT_WITH_DUE_INTERESTS',
    'LOAN_AMOUNT_WITH_ESTIMATED_FEES',
  ]),
  depositor_role: z.enum(['BENEFICIARY', 'BORROWER', 'FEES_PAYER', 'PARTNER']),
  payment_method: z.object({
    payment_method: z.enum(['DIRECT_DEBIT', 'SCT']),
    direct_debit: z.object({ from_account_details_id: Id.nullable() }).nullable(),
    sct: z.object({}).nullable(),
  }),
  purpose: z.enum(['FEES_DEPOSIT', 'GUARANTEE_DEPOSIT', 'RECOLLECTION_FEES_DEPOSIT']),
  value: z.string(),
})

const DEFAULT_TRIGGERS = ['BORROWER_DEFAULT', 'BORROWER_INSOLVENCY'] as const

const LoanGuarantee = z.object({
  guarantor_id: Id,
  conditions: z.array(z.object({ country: z.string().nullable() })),
  days_late: z.int(),
  insolvency_procedure_days_late: z.int(),
  min_days_since_last_chargeback: z.int(),
  schedule_guarantee_call_within_hours: z.int(),
  create_extra_payments: z.boolean(),
  frequency: z.enum(['DAILY', 'WEEKLY']).nullable(),
  payment_method: PaymentMethod,
  from_deposit_account_detail_id: Id.nullable(),
  from_guarantor_account_detail_id: Id.nullable(),
  to_account_detail_id: Id,
  reference_format_customization: z.string().nullable(),
  email_template_id: z.string(),
  pdf_template_id: z.string(),
  notification_email_addresses: z.array(z.email()),
})

const RiskMitigation = z.object({
  automatically_compute_and_deploy_max_exposure_frequency_in_days: z.int().nullable(),
  guarantee_configs: z.array(LoanGuarantee).nullable(),
  insurance_config: z
    .object({
      insurance_provider: z.enum(['ALLIANZ_TRADE', 'CREDIT_360', 'SANDBOX']),
      delay_to_call_insurance_after_chargeback: z.int().nullable(),
      delay_to_call_insurance_on_insolvency_procedure_opening: z.int().nullable(),
      triggers: z.array(z.enum(DEFAULT_TRIGGERS)),
    })
    .nullable(),
  invoice_collateralization_config: z
    .object({ triggers: z.array(z.enum(DEFAULT_TRIGGERS)) })
    .nullable(),
})

const TermsDocument = z.object({
  country: z.enum(TERMS_COUNTRIES).nullable(),
  language: z.string().nullable(),
  document_url: z.string(),
  is_default: z.boolean(),
})

const UxConfiguration = z.object({
  aggregation_scenarios: z
    .array(
      z.object({
        payment_aggregation_scenario: z.enum(['MERGE_ONLY', 'NET_THEN_MERGE']).nullable(),
        payment_aggregation_timing: z.enum(['DAILY', 'LOAN_SCHEDULE']).nullable(),
        payment_types_to_net_and_merge: z.array(PaymentType).nullable(),
      }),
    )
    .nullable(),
  fp_status_on_manual_review_eligibility: ProductStatus,
  loan_request: z.object({
    display_available_balance: z.boolean(),
    mandatory_options: z.array(
      z.enum([
        'beneficiaries',
        'contract',
        'counterparty',
        'payable_invoice',
        'payment_terms',
        'receivable_invoice',
      ]),
    ),
    minimum_duration_in_days: z.int(),
    maximum_duration_in_days: z.int(),
    maximum_loan_amount_in_cents: z.int(),
  }),
})

export const FinancialProductConfiguration = z
  .object({
    contract_type: ContractType,
    billing: BillingConfiguration,
    contract_generation_settings: z
      .object({
        batch_max_size: z.int(),
        batch_signature_enabled: z.boolean(),
        synchronous_contract_generation: z.boolean(),
      })
      .nullable(),
    contract_templates: z.array(ContractTemplate).nullable(),
    depositing_rules: z.array(DepositingRule).nullable(),
    installments: z.object({
      available_types: z.array(z.enum(['INSTALLMENTS', 'IN_FINE'])),
      maximum_reschedule_payment_in_days: z.int(),
      minimum_anticipate_payment_in_days: z.int(),
      minimum_business_days_until_due_date_to_reschedule_payment: z.int(),
    }),
    risk_mitigation_config: RiskMitigation.nullable(),
    subscription: z.object({
      monthly_fee_cents: z.int(),
      sdd_account_detail_id: Id.nullable(),
      /** The id to activate the monthly fee with; null if there is no fee. */
      subscription_id: Id.nullable(),
    }),
    tcs_documents: z.array(TermsDocument),
    ux: UxConfiguration,
  })
  .meta({ id: 'FinancialProductConfiguration' })
export type FinancialProductConfiguration = z.infer<typeof FinancialProductConfiguration>

export const BorrowerFinancialProduct = z
  .object({
    id: Id,
    borrower_id: Id,
    status: ProductStatus,
    status_reason: DenialCode.nullable(),
    can_request_loan: z.boolean(),
    max_amount: z.int().nullable(),
    available_amount: z.int().nullable(),
    amount_outstanding: z.int().nullable(),
    amount_pending_validation: z.int().nullable(),
    fees_daily_rate: z.number().nullable(),
    unlock_loan_request_link: z.string().nullable(),
    financial_product: z.object({
      name: z.string(),
      product_type: ProductType,
      configuration: FinancialProductConfiguration,
    }),
  })
  .meta({ id: 'BorrowerFinancialProduct' })
export type BorrowerFinancialProduct = z.infer<typeof BorrowerFinancialProduct>
