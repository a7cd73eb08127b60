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
      "Size of the originals of one user's photos, in MB, above which no further one is stored; an own quota of the user takes precedence",
  }),
  printImageKeys: setting.list('PRINT_IMAGE_KEYS', {
    min: 1,
    entryMin: 32,
    describe:
      'Secrets of at least 32 characters, separated by commas: the first signs names of print images, all verify them',
  }),
}

/** Settings of the worker (worker.ts). */
export const workerSettings = {
  ...opsSettings,
  ...sharedSettings,
  concurrency: setting.integer('PROCESSING_CONCURRENCY', {
    default: 2,
    min: 1,
    describe: 'Maximum number of photos rendered concurrently; as many others are fetched or stored meanwhile',
  }),
}
