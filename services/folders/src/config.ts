import {
  commonSettings,
  databaseSettings,
  identitySettings,
  natsSettings,
  originSettings,
  setting,
  streamSettings,
} from '@skyfolio/kit'

/** What every process of folders needs to reach its servers. */
export const serverSettings = { ...databaseSettings, ...natsSettings, ...streamSettings }

/** The settings of the folders service; listed in its README. */
export const settings = {
  ...commonSettings,
  ...serverSettings,
  ...identitySettings,
  ...originSettings,
  voterKeys: setting.list('VOTER_KEYS', {
    min: 1,
    entryMin: 32,
    describe:
      'Secrets like IDENTITY_KEYS: the first signs voter tokens, all verify them, the one known for longest hashes voters',
  }),
  burstBallots: setting.integer('VOTE_BURST_BALLOTS', {
    default: 40,
    min: 2,
    describe: 'New ballots of one folder from one address within VOTE_BURST_SECONDS that are flagged for its owner',
  }),
  burstSeconds: setting.integer('VOTE_BURST_SECONDS', {
    default: 10,
    min: 1,
    describe: 'Time in which VOTE_BURST_BALLOTS are counted',
  }),
  crowdBallots: setting.integer('VOTE_CROWD_BALLOTS', {
    default: 300,
    min: 2,
    describe: 'New ballots of one folder from one address within VOTE_CROWD_SECONDS that are flagged for its owner',
  }),
  crowdSeconds: setting.integer('VOTE_CROWD_SECONDS', {
    default: 3600,
    min: 1,
    describe: 'Time in which VOTE_CROWD_BALLOTS are counted',
  }),
}
