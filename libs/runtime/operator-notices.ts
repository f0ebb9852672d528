/** Log messages that an operator should see at once: `npm start` prints them on the terminal. */
export const operatorNotices = {
  viewRebuilt: 'the hot view was not whole and has been rebuilt from the log',
  sweeperPaused:
    'too many would expire at once: the sweeper waits until fewer do, or for POST /sweeper/agree',
  sweeperGoesOn: 'the sweeper goes on',
} as const;
