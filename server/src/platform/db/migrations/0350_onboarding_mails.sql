-- Whether the documents of a company that signed online went to it by e-mail: its page says so then
-- alone. A company that a partner signed by the API gets no such mail.

alter table onboardings add column documents_mailed boolean not null default false;
