-- Up Migration
-- How far the ledger holds each partition of the log. Written after the rows: a standby that lacks rows lacks this too.
create table log_positions (
  topic text not null,
  partition integer not null,
  next_offset bigint not null,
  primary key (topic, partition)
);
