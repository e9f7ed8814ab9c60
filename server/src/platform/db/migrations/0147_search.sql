-- One box finds anything: borrowers by how their names begin, over all partners or in one world.
create index borrowers_name on borrowers (lower(name) text_pattern_ops);
