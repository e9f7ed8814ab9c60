-- Callers, keys, onboardings, repayment links, bundles of documents and events are keyed by their
-- partner. Foreign keys look up the primary key, which is created last, as in
-- 0033_keys_of_fees_and_webhooks.sql.

-- Callers and their keys.
alter table keys drop constraint keys_partner_id_caller_id_fkey,
  drop constraint keys_partner_id_rotated_from_fkey;
alter table decision_attempts drop constraint decision_attempts_partner_id_key_id_fkey,
  drop constraint decision_attempts_partner_id_caller_id_fkey;
alter table loans drop constraint loans_partner_id_caller_id_fkey;
alter table repayment_terms drop constraint repayment_terms_partner_id_caller_id_fkey;
alter table cards drop constraint cards_partner_id_caller_id_fkey;
alter table decisions drop constraint decisions_partner_id_proposer_id_fkey;
alter table attempt_counts drop constraint attempt_counts_partner_id_caller_id_fkey;
alter table keys drop constraint keys_pkey, drop constraint keys_partner_id_id_key,
  add primary key (partner_id, id);
alter table callers drop constraint callers_pkey, drop constraint callers_partner_id_id_key,
  add primary key (partner_id, id);
alter table keys add foreign key (partner_id, caller_id) references callers,
  add foreign key (partner_id, rotated_from) references keys;
alter table decision_attempts add foreign key (partner_id, key_id) references keys,
  add foreign key (partner_id, caller_id) references callers;
alter table loans add foreign key (partner_id, caller_id) references callers;
alter table repayment_terms add foreign key (partner_id, caller_id) references callers;
alter table cards add foreign key (partner_id, caller_id) references callers;
alter table decisions add foreign key (partner_id, proposer_id) references callers;
alter table attempt_counts add foreign key (partner_id, caller_id) references callers;

create or replace function key_holder(wanted text)
returns table (key_id uuid, partner_id uuid, caller_id uuid, actor text, scopes text[],
  version text, partner_suspended boolean, people_need_decisions boolean, use_unseen boolean)
language plpgsql volatile as $$
declare
  walls text := coalesce(current_setting('headroom.partners', true), '');
begin
  perform set_config('headroom.partners', '*', true);
  return query
    select k.id, k.partner_id, k.caller_id, c.actor, k.scopes, k.version,
      p.status = 'SUSPENDED', p.people_need_decisions,
      coalesce(k.last_used_at < now() - interval '1 minute', true)
    from keys k join callers c on c.partner_id = k.partner_id and c.id = k.caller_id
    join partners p on p.id = k.partner_id
    where k.hash = wanted and k.revoked_at is null and coalesce(k.expires_at > now(), true);
  perform set_config('headroom.partners', walls, true);
end $$;

-- A token names the partner of its key.
drop function token_holder(uuid);
create function token_holder(of_partner uuid, wanted uuid)
returns table (key_id uuid, partner_id uuid, caller_id uuid, actor text, version text,
  partner_suspended boolean)
language plpgsql volatile as $$
declare
  walls text := coalesce(current_setting('headroom.partners', true), '');
begin
  perform set_config('headroom.partners', of_partner::text, true);
  return query
    select k.id, k.partner_id, k.caller_id, c.actor, k.version, p.status = 'SUSPENDED'
    from keys k join callers c on c.partner_id = k.partner_id and c.id = k.caller_id
    join partners p on p.id = k.partner_id
    where k.partner_id = of_partner and k.id = wanted and k.revoked_at is null
      and coalesce(k.expires_at > now(), true);
  perform set_config('headroom.partners', walls, true);
end $$;

-- Onboardings, whose index of a partner's list is now the primary key.
drop index onboardings_page;
alter table onboardings drop constraint onboardings_pkey, add primary key (partner_id, id);

-- Repayment links and bundles of documents.
alter table repay_links drop constraint repay_links_pkey, add primary key (partner_id, id);
alter table document_bundles drop constraint document_bundles_pkey,
  add primary key (partner_id, id);

-- Events, and the deliveries that report them.
alter table webhook_deliveries drop constraint webhook_deliveries_event_id_fkey;
alter table events drop constraint events_pkey, add primary key (partner_id, id);
alter table webhook_deliveries add foreign key (partner_id, event_id) references events;
