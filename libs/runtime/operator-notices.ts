/** Log messages that an operator should see at once: `npm start` prints them on the terminal. */
export const operatorNotices = {
  viewRebuilt: 'the hot view was not whole and has been rebuilt from the log',
  sweeperPaused:
    'too many are late at once: none expires until fewer are, for seven minutes at most, or until an operator agrees (npm run agree)',
  sweeperReleases:
    'too many are silent, and we have been well for seven minutes: they expire, at most fifty a second',
  sweeperGoesOn: 'the sweeper goes on',
} as const;
