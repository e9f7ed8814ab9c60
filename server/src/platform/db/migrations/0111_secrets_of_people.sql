-- What people sign in with, apart from who they are: the service alone sees it.

create table operator_secrets (
  operator_id uuid primary key references operators,
  password_hash text not null,
  -- Encrypted; asked for at each sign-in once it was confirmed.
  totp_secret text,
  totp_confirmed_at timestamptz,
  -- The last step of time whose code was used: none is taken twice.
  totp_step bigint
);
insert into operator_secrets (operator_id, password_hash, totp_secret, totp_confirmed_at, totp_step)
  select id, password_hash, totp_secret, totp_confirmed_at, totp_step from operators;
alter table operators drop column password_hash, drop column totp_secret,
  drop column totp_confirmed_at, drop column totp_step;

do $$
declare t text;
begin
  foreach t in array array['operator_secrets', 'sessions', 'sign_ins']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format($policy$create policy service_only on %I
      using (current_setting('headroom.partners', true) = '*')
      with check (current_setting('headroom.partners', true) = '*')$policy$, t);
  end loop;
end $$;
