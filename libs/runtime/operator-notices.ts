/** Log messages that an operator should see at once: `npm start` prints them on the terminal. */
export const operatorNotices = {
  viewRebuilt: 'the hot view was not whole and has been rebuilt from the log',
  viewAdopted:
    'Redis is another server, or was emptied: the launcher sessions that it has go on, and all other launchers have to start again',
  sweeperPaused:
    'too many are late at once: none expires until fewer are, an operator agrees (npm run agree), or we have been well for an expiry window and one and a half heartbeat intervals',
  sweeperReleases:
    'too many are silent, and we have been well for an expiry window and one and a half heartbeat intervals: they expire, at most fifty a second',
  sweeperGoesOn: 'the sweeper goes on',
} as const;
