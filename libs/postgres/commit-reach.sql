select current_setting('synchronous_commit') as synchronous_commit,
  current_setting('synchronous_standby_names') as standby_names
