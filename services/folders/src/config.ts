import {
  commonSettings,
  databaseSettings,
  identitySettings,
  natsSettings,
  originSettings,
  setting,
} from '@skyfolio/kit'

/** What every process of folders needs to reach its servers. */
export const serverSettings = { ...databaseSettings, ...natsSettings }

/** The settings of the folders service; listed in its README. */
export const settings = {
  ...commonSettings,
  ...serverSettings,
  ...identitySettings,
  ...originSettings,
  voterKey: setting.secret('VOTER_KEY', {
    describe: 'Signs voter tokens and keys the hashes of fingerprints and addresses; with a new one voters start anew',
  }),
}
