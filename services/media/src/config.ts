import {
  commonSettings,
  databaseSettings,
  directUploadSettings,
  identitySettings,
  integerSettings,
  linkSettings,
  natsSettings,
  objectStoreSettings,
  opsSettings,
  originSettings,
  redisSettings,
  setting,
  streamSettings,
} from '@skyfolio/kit'
import { UPLOAD_LIMITS } from '@skyfolio/proto'
import { MAP_FILE } from './base-map/map-file.ts'
import { PLACES_FILE } from './places/place-file.ts'

const sharedSettings = {
  ...natsSettings,
  ...streamSettings,
  ...redisSettings,
  ...databaseSettings,
  ...objectStoreSettings,
  ...integerSettings(UPLOAD_LIMITS),
  uploadSessionHours: setting.integer('UPLOAD_SESSION_HOURS', {
    default: 168,
    min: 1,
    // The store itself ends uploads after eight days.
    max: 180,
    describe: 'Hours for which an upload session lasts; then what was stored of it is removed',
  }),
  placesFile: setting.string('PLACES_FILE', {
    default: PLACES_FILE,
    describe: 'Place data, as built by npm run places:build',
  }),
}

const printImageHours = setting.integer('PRINT_IMAGE_HOURS', {
  default: 336,
  min: 36,
  max: 8760,
  describe: 'Hours for which an image of a print order can be fetched; an order extends what ends within 36 hours',
})

const printImageMegabytesPerUser = setting.integer('PRINT_IMAGE_MEGABYTES_PER_USER', {
  default: 4096,
  min: 1,
  describe: 'Size of the print images of one user that have not expired, in MB, above which no further one is made',
})

/** Settings of the API (main.ts). */
export const apiSettings = {
  ...commonSettings,
  ...identitySettings,
  ...linkSettings,
  ...originSettings,
  ...sharedSettings,
  ...directUploadSettings,
  baseMapFile: setting.string('BASE_MAP_FILE', {
    default: MAP_FILE,
    describe: 'Base map, as built by npm run map:build',
  }),
  uploadSessionsPerUser: setting.integer('UPLOAD_SESSIONS_PER_USER', {
    default: 200,
    min: 1,
    describe: 'Maximum number of open upload sessions of one user; further files wait',
  }),
  uploadSessionMegabytesPerUser: setting.integer('UPLOAD_SESSION_MEGABYTES_PER_USER', {
    default: 20_480,
    min: 1,
    describe: 'Size of the files of open upload sessions of one user, in MB, above which further files wait',
  }),
  userQuotaMegabytes: setting.integer('USER_QUOTA_MEGABYTES', {
    optional: true,
    min: 1,
    describe:
      "Size of the originals of one user's photos, in MB, above which no further one is stored; an own quota of the user takes precedence",
  }),
  uploadStreams: setting.integer('UPLOAD_STREAMS', {
    default: 16,
    min: 1,
    describe: 'Maximum number of files received concurrently; others wait',
  }),
  uploadStreamsPerUser: setting.integer('UPLOAD_STREAMS_PER_USER', {
    default: 4,
    min: 1,
    describe: 'Maximum number of files received concurrently from one user; others wait',
  }),
  uploadsPerUser: setting.integer('UPLOADS_PER_USER', {
    default: 32,
    min: 1,
    describe: 'Maximum number of upload requests of one user that are open at the same time; further ones are rejected',
  }),
  photosPerMinute: setting.integer('PHOTOS_PER_MINUTE_OF_USER', {
    default: 1800,
    min: 1,
    describe:
      'Files that one user may upload per minute, counted over all replicas; renewed processing of a photo counts too',
  }),
  uploadStallSeconds: setting.integer('UPLOAD_STALL_SECONDS', {
    default: 20,
    min: 1,
    describe: 'Stall timeout of an upload: seconds that it may send nothing or be behind the minimum rate',
  }),
  uploadMinRate: setting.integer('UPLOAD_MIN_BYTES_PER_SECOND', {
    default: 4096,
    min: 1,
    describe: 'Minimum rate of an upload while it is read',
  }),
  printImageKeys: setting.list('PRINT_IMAGE_KEYS', {
    min: 1,
    entryMin: 32,
    describe:
      'Secrets of at least 32 characters, separated by commas: the first signs names of print images, all verify them',
  }),
  printImageHours,
  printImageMegabytesPerUser,
  printImagesPerUser: setting.integer('PRINT_IMAGES_PER_USER', {
    default: 2000,
    min: 1,
    describe: 'Maximum number of print images of one user that have not expired',
  }),
}

/** Settings of reconciliation, for the worker and `npm run ops -- media:reconcile`. */
export const sweepSettings = {
  orphanMinutes: setting.integer('SWEEP_ORPHAN_MINUTES', {
    default: 360,
    min: 0,
    describe: 'Age from which an object that belongs to no photo is removed, in minutes',
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
  leaseSeconds: setting.integer('PROCESSING_LEASE_SECONDS', {
    default: 15,
    min: 1,
    describe: 'Lease of a worker on a photo; after this time without renewal another worker takes the photo',
  }),
  attempts: setting.integer('PROCESSING_ATTEMPTS', {
    default: 4,
    min: 1,
    describe: 'Maximum number of attempts to process a photo, or render a print image, before it counts as failed',
  }),
  printConcurrency: setting.integer('PRINT_CONCURRENCY', {
    default: 2,
    min: 1,
    describe: 'Maximum number of print images rendered concurrently, beside the photos',
  }),
  printImageHours,
  printImageMegabytesPerUser,
  scanSeconds: setting.integer('PROCESSING_SCAN_SECONDS', {
    default: 5,
    min: 1,
    describe: 'Interval of scans for waiting photos without a job',
  }),
  failedUploadNoticeSeconds: setting.integer('FAILED_UPLOAD_NOTICE_SECONDS', {
    default: 300,
    min: 1,
    describe:
      "Seconds after a user's last upload and last failure in which photos that failed are gathered into one notice",
  }),
  sweepMinutes: setting.integer('SWEEP_MINUTES', {
    default: 60,
    min: 1,
    describe: 'Interval of reconciliation of object store and database',
  }),
  ...sweepSettings,
}
