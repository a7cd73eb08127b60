import {
  commonSettings,
  databaseSettings,
  identitySettings,
  natsSettings,
  originSettings,
  setting,
  streamSettings,
} from '@skyfolio/kit'

/** The settings of connections, for the service and its commands. */
export const serverSettings = { ...databaseSettings, ...natsSettings, ...streamSettings }

/** The settings of the folders service. */
export const settings = {
  ...commonSettings,
  ...serverSettings,
  ...identitySettings,
  ...originSettings,
  voterKeys: setting.list('VOTER_KEYS', {
    min: 1,
    entryMin: 32,
    describe:
      'Secrets like IDENTITY_KEYS: the first signs voter tokens, all verify them, the oldest known one hashes voters',
  }),
  burstBallots: setting.integer('VOTE_BURST_BALLOTS', {
    default: 40,
    min: 2,
    describe: 'New ballots in a folder from one address within VOTE_BURST_SECONDS that are flagged as a burst',
  }),
  burstSeconds: setting.integer('VOTE_BURST_SECONDS', {
    default: 10,
    min: 1,
    describe: 'Time window of VOTE_BURST_BALLOTS',
  }),
  crowdBallots: setting.integer('VOTE_CROWD_BALLOTS', {
    default: 300,
    min: 2,
    describe: 'New ballots in a folder from one address within VOTE_CROWD_SECONDS that are flagged as a crowd',
  }),
  crowdSeconds: setting.integer('VOTE_CROWD_SECONDS', {
    default: 3600,
    min: 1,
    describe: 'Time window of VOTE_CROWD_BALLOTS',
  }),
}
