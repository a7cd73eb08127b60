import {
  commonSettings,
  databaseSettings,
  directUploadSettings,
  identitySettings,
  linkSettings,
  natsSettings,
  objectStoreSettings,
  opsSettings,
  originSettings,
  redisSettings,
  setting,
  streamSettings,
  uploadSettings,
} from '@skyfolio/kit'

const sharedSettings = {
  ...natsSettings,
  ...streamSettings,
  ...redisSettings,
  ...databaseSettings,
  ...objectStoreSettings,
  ...uploadSettings,
}

/** Settings of the API (main.ts). */
export const apiSettings = {
  ...commonSettings,
  ...identitySettings,
  ...linkSettings,
  ...originSettings,
  ...sharedSettings,
  ...directUploadSettings,
  userQuotaMegabytes: setting.integer('USER_QUOTA_MEGABYTES', {
    optional: true,
    min: 1,
    describe:
      "Quota of each user, in MB: total size of the originals; a user's own quota takes precedence; none by default",
  }),
  printImageKeys: setting.list('PRINT_IMAGE_KEYS', {
    min: 1,
    entryMin: 32,
    describe:
      'Secrets of at least 32 characters, separated by commas: the first signs names of print images, all verify them',
  }),
  baseMapFile: setting.string('BASE_MAP_FILE', {
    optional: true,
    describe:
      'PMTiles archive of the world in the layers of the Protomaps basemap: a path, or `store:` and the key of an object; by default a small one without streets',
  }),
  baseMapDetailFile: setting.string('BASE_MAP_DETAIL_FILE', {
    optional: true,
    describe:
      'Another such archive, with the streets of a region: its tiles are those of the zooms that the world does not have',
  }),
}

/** Settings of the worker (worker.ts). */
export const workerSettings = {
  ...opsSettings,
  ...sharedSettings,
  concurrency: setting.integer('PROCESSING_CONCURRENCY', {
    default: 2,
    min: 1,
    describe: 'Maximum number of photos rendered concurrently, while as many others are fetched or stored',
  }),
}
