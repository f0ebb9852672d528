select name from gsb_migrations order by name
