-- Bills that wait until they were sent: by their partner, or by a person who releases them.
create index bills_validated on bills (id) where status = 'VALIDATED';
