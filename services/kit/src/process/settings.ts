import { setting } from './config.ts'

const MIB = 1024 * 1024

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Settings of every process. */
export const processSettings = {
  logLevel: setting.choice('LOG_LEVEL', LOG_LEVELS, { default: 'info', describe: 'Minimum log level' }),
}

/** For a process that serves only operators, such as a worker. */
export const opsSettings = {
  ...processSettings,
  host: setting.string('HOST', {
    default: '127.0.0.1',
    describe: 'Address to listen on; `::` for all, of IPv6 and IPv4',
  }),
  opsPort: setting.integer('OPS_PORT', { min: 0, max: 65535, describe: 'Port of /livez, /readyz and /metrics' }),
  drainSeconds: setting.integer('DRAIN_SECONDS', {
    default: 10,
    min: 1,
    describe: 'Seconds that requests and jobs in progress may take to finish after SIGTERM; then they are aborted',
  }),
}

/** For every service that serves HTTP requests. */
export const commonSettings = {
  ...opsSettings,
  port: setting.integer('PORT', { min: 0, max: 65535, describe: 'Port to listen on' }),
  lameDuckSeconds: setting.integer('LAME_DUCK_SECONDS', {
    default: 0,
    min: 0,
    describe: 'Seconds after SIGTERM in which requests are still served, each response closing its connection',
  }),
}

export const natsSettings = {
  natsUrl: setting.url('NATS_URL', {
    protocols: ['nats:', 'tls:'],
    passwordFrom: 'NATS_PASSWORD',
    severalHosts: true,
    describe:
      'NATS with JetStream, the servers of a cluster separated by commas; may contain `user:password@`; `tls:` requires encryption',
  }),
  natsCredentialsFile: setting.string('NATS_CREDENTIALS_FILE', {
    optional: true,
    describe: "A NATS user's `.creds` file, instead of a password in NATS_URL",
  }),
}

/** For processes that create the streams. */
export const streamSettings = {
  natsReplicas: setting.integer('NATS_REPLICAS', {
    default: 1,
    min: 1,
    max: 5,
    describe: 'Replicas of each NATS stream, at most the number of servers; increased at once, never decreased',
  }),
}

export const redisSettings = {
  redisUrl: setting.url('REDIS_URL', {
    protocols: ['redis:', 'rediss:', 'redis+sentinel:', 'rediss+sentinel:'],
    passwordFrom: 'REDIS_PASSWORD',
    severalHosts: true,
    describe:
      'Redis or Valkey server; or its Sentinels, `redis+sentinel://:password@host:26379,host:26379/<master name>`, with `?sentinel_password=` if they have one',
  }),
}

export const databaseSettings = {
  databaseUrl: setting.url('DATABASE_URL', {
    protocols: ['postgres:', 'postgresql:'],
    passwordFrom: 'DATABASE_PASSWORD',
    severalHosts: true,
    describe:
      "The service's own PostgreSQL database; of several hosts the one that accepts writes is used; `?pgbouncer=true` for PgBouncer in transaction mode",
  }),
}

export const identitySettings = {
  identityKeys: setting.list('IDENTITY_KEYS', {
    min: 1,
    entryMin: 32,
    describe: 'Secrets of at least 32 characters, separated by commas: the first signs identities, all verify them',
  }),
}

/** For processes that make or verify what a link opens: public names of pictures, and the cookies of links. */
export const linkSettings = {
  linkKeys: setting.list('LINK_KEYS', {
    min: 1,
    entryMin: 32,
    describe: 'Secrets like IDENTITY_KEYS: the first signs public names and the cookies of links, all verify them',
  }),
}

/** For processes whose cookies or checks depend on the public URL of the application. */
export const originSettings = {
  publicOrigin: setting.url('PUBLIC_ORIGIN', {
    protocols: ['http:', 'https:'],
    describe: 'URL at which browsers reach the application; https makes the cookies Secure',
  }),
}

/** For the processes that take or show uploads: the limits that are settings. */
export const uploadSettings = {
  fileBytes: setting.integer('UPLOAD_MAX_FILE_BYTES', {
    default: 25 * MIB,
    min: 1,
    describe: 'Maximum size of an uploaded file, in bytes',
  }),
  largeFileBytes: setting.integer('UPLOAD_MAX_LARGE_FILE_BYTES', {
    default: 150 * MIB,
    min: 1,
    describe: 'Maximum size of an uploaded DNG or TIFF, in bytes',
  }),
  maxPixels: setting.integer('UPLOAD_MAX_PIXELS', {
    default: 300_000_000,
    min: 1,
    describe: 'Maximum pixels of a photo, width times height',
  }),
}

/** For the processes that delete accounts, and for the pages that say when. */
export const deletionSettings = {
  accountDeletionDays: setting.integer('ACCOUNT_DELETION_DAYS', {
    default: 7,
    min: 0,
    max: 365,
    describe: 'Days in which the deletion of an account can be revoked; 0 deletes accounts at once',
  }),
}

/** A directory or an S3 bucket: `openObjectStore` checks that one of them is set, and what it requires. */
export const objectStoreSettings = {
  objectStoreDir: setting.string('OBJECT_STORE_DIR', {
    optional: true,
    describe: 'Directory of the objects; either this or S3_ENDPOINT is required',
  }),
  s3Endpoint: setting.url('S3_ENDPOINT', {
    optional: true,
    protocols: ['http:', 'https:'],
    describe: 'S3 server of the objects, instead of OBJECT_STORE_DIR',
  }),
  s3Region: setting.string('S3_REGION', { default: 'us-east-1', describe: 'Region of the S3 server' }),
  s3Bucket: setting.string('S3_BUCKET', { optional: true, describe: 'Bucket of the objects' }),
  s3AccessKey: setting.string('S3_ACCESS_KEY', { optional: true, describe: 'Access key of the S3 server' }),
  s3SecretKey: setting.string('S3_SECRET_KEY', { optional: true, describe: 'Secret key of S3_ACCESS_KEY' }),
}

/** For processes that let browsers send parts of uploads straight to the S3 server, and for the pages that do so. */
export const publicStoreSettings = {
  s3PublicEndpoint: setting.url('S3_PUBLIC_ENDPOINT', {
    optional: true,
    protocols: ['http:', 'https:'],
    describe:
      'URL at which browsers reach the S3 server and send parts of uploads to it; without it all parts go through the gateway',
  }),
}

/** For the process that signs these parts. */
export const directUploadSettings = {
  ...publicStoreSettings,
  s3UploadAccessKey: setting.string('S3_UPLOAD_ACCESS_KEY', {
    optional: true,
    describe: 'Access key that may only put objects, to sign the URLs of parts; temporary credentials (STS) by default',
  }),
  s3UploadSecretKey: setting.secret('S3_UPLOAD_SECRET_KEY', {
    optional: true,
    describe: 'Secret key of S3_UPLOAD_ACCESS_KEY',
  }),
  s3StsEndpoint: setting.url('S3_STS_ENDPOINT', {
    optional: true,
    protocols: ['http:', 'https:'],
    describe: 'Server of temporary credentials (STS); S3_ENDPOINT by default',
  }),
  s3UploadRoleArn: setting.string('S3_UPLOAD_ROLE_ARN', {
    optional: true,
    describe: 'Role of the temporary credentials, where the server requires one',
  }),
}
