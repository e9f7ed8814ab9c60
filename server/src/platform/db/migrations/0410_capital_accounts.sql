-- Capital comes from the lender's own accounts only. The lender of a sandbox has one; any other
-- names its accounts in its settings.
update deployment set lender = lender || jsonb_build_object('capital_ibans',
  case mode when 'sandbox' then '["FR7699890287050000000000430"]'::jsonb else '[]'::jsonb end);
