import {
  type Config,
  commonSettings,
  databaseSettings,
  identitySettings,
  linkSettings,
  natsSettings,
  originSettings,
  setting,
  streamSettings,
} from '@skyfolio/kit'
import type { FlagRules } from './voting/flag-updater.ts'

/** The settings of connections, for the service and its commands. */
export const serverSettings = { ...databaseSettings, ...natsSettings, ...streamSettings }

/** When ballots are flagged. */
export const flagSettings = {
  burstBallots: setting.integer('VOTE_BURST_BALLOTS', {
    default: 40,
    min: 2,
    describe: 'New ballots in a folder from one address (IPv6: /64 network) within VOTE_BURST_SECONDS that are flagged',
  }),
  burstSeconds: setting.integer('VOTE_BURST_SECONDS', {
    default: 10,
    min: 1,
    describe: 'Time window of VOTE_BURST_BALLOTS',
  }),
  crowdBallots: setting.integer('VOTE_CROWD_BALLOTS', {
    default: 300,
    min: 2,
    describe: 'New ballots in a folder from one address (IPv6: /64 network) within VOTE_CROWD_SECONDS that are flagged',
  }),
  crowdSeconds: setting.integer('VOTE_CROWD_SECONDS', {
    default: 3600,
    min: 1,
    describe: 'Time window of VOTE_CROWD_BALLOTS',
  }),
  alikeBallots: setting.integer('VOTE_ALIKE_BALLOTS', {
    default: 40,
    min: 2,
    describe:
      'New ballots in a folder from one address (IPv6: /64 or /48) within VOTE_ALIKE_SECONDS that are flagged where only they are alike',
  }),
  alikeSeconds: setting.integer('VOTE_ALIKE_SECONDS', {
    default: 86_400,
    min: 1,
    describe: 'Time window of VOTE_ALIKE_BALLOTS',
  }),
}

export const readFlagRules = (config: Config<typeof flagSettings>): FlagRules => ({
  burst: { ballots: config.burstBallots, seconds: config.burstSeconds },
  crowd: { ballots: config.crowdBallots, seconds: config.crowdSeconds },
  alike: { ballots: config.alikeBallots, seconds: config.alikeSeconds },
})

/** The settings of the folders service. */
export const settings = {
  ...commonSettings,
  ...serverSettings,
  ...identitySettings,
  ...linkSettings,
  ...originSettings,
  foldersPerUser: setting.integer('FOLDERS_PER_USER', {
    default: 5000,
    min: 1,
    describe: 'Maximum number of folders of one user; further ones are rejected',
  }),
  voterKeys: setting.list('VOTER_KEYS', {
    min: 1,
    entryMin: 32,
    describe:
      'Secrets like IDENTITY_KEYS: the first signs voter tokens, all verify them, the oldest known one hashes voters',
  }),
  ...flagSettings,
}
