import {
  commonSettings,
  databaseSettings,
  identitySettings,
  integerSettings,
  natsSettings,
  objectStoreSettings,
  opsSettings,
  redisSettings,
  setting,
  streamSettings,
} from '@skyfolio/kit'
import { UPLOAD_LIMITS } from '@skyfolio/proto'
import { PLACES_FILE } from './places/place-file.ts'

const sharedSettings = {
  ...natsSettings,
  ...streamSettings,
  ...redisSettings,
  ...databaseSettings,
  ...objectStoreSettings,
  ...integerSettings(UPLOAD_LIMITS),
  placesFile: setting.string('PLACES_FILE', {
    default: PLACES_FILE,
    describe: 'The place data that npm run places:build makes',
  }),
}

/** What the API (main.ts) reads from the environment. */
export const apiSettings = {
  ...commonSettings,
  ...identitySettings,
  ...sharedSettings,
  uploadStreams: setting.integer('UPLOAD_STREAMS', {
    default: 16,
    min: 1,
    describe: 'Files that are received at the same time; others wait',
  }),
  uploadStreamsPerUser: setting.integer('UPLOAD_STREAMS_PER_USER', {
    default: 4,
    min: 1,
    describe: 'Files that are received from one user at the same time; others wait',
  }),
  uploadStallSeconds: setting.integer('UPLOAD_STALL_SECONDS', {
    default: 20,
    min: 1,
    describe: 'An upload that sends nothing for this long, or falls so far behind the least rate, is dropped',
  }),
  uploadMinRate: setting.integer('UPLOAD_MIN_BYTES_PER_SECOND', {
    default: 4096,
    min: 1,
    describe: 'The least rate of an upload, while it is read',
  }),
}

/** For who compares the object store with the database: the worker and `npm run media:reconcile`. */
export const sweepSettings = {
  orphanMinutes: setting.integer('SWEEP_ORPHAN_MINUTES', {
    default: 360,
    min: 0,
    describe: 'Age at which an object that belongs to no photo is removed',
  }),
}

/** What the worker (worker.ts) reads from the environment. */
export const workerSettings = {
  ...opsSettings,
  ...sharedSettings,
  concurrency: setting.integer('PROCESSING_CONCURRENCY', {
    default: 2,
    min: 1,
    describe: 'Photos that are drawn at the same time; as many others are fetched or stored meanwhile',
  }),
  leaseSeconds: setting.integer('PROCESSING_LEASE_SECONDS', {
    default: 15,
    min: 1,
    describe: 'A photo whose worker was not heard of for this long is given to another one',
  }),
  attempts: setting.integer('PROCESSING_ATTEMPTS', {
    default: 4,
    min: 1,
    describe: 'How often the processing of a photo is begun before it counts as failed',
  }),
  scanSeconds: setting.integer('PROCESSING_SCAN_SECONDS', {
    default: 5,
    min: 1,
    describe: 'How often the database is searched for work that waits without a job',
  }),
  sweepMinutes: setting.integer('SWEEP_MINUTES', {
    default: 60,
    min: 1,
    describe: 'How often the object store is compared with the database',
  }),
  ...sweepSettings,
}
