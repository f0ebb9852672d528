insert into closing_results (day, differing_sessions) values ($1::date, $2)
