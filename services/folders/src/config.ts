import {
  commonSettings,
  databaseSettings,
  identitySettings,
  linkSettings,
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
  ...linkSettings,
  ...originSettings,
  voterKeys: setting.list('VOTER_KEYS', {
    min: 1,
    entryMin: 32,
    describe:
      'Secrets like IDENTITY_KEYS: the first signs voter tokens, all verify them, the one known longest hashes voters',
  }),
}
