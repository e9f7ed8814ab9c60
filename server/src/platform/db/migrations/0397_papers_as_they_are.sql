-- Papers come compressed. To try it once more costs a tenth of a second for each that is drawn, and
-- every piece that is read of one would unpack it from its beginning.
alter table documents alter column content set storage external;
alter table owner_documents alter column content set storage external;
