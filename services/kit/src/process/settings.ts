import { setting } from './config.ts'

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** What every process needs to be a process. */
export const processSettings = {
  logLevel: setting.choice('LOG_LEVEL', LOG_LEVELS, { default: 'info', describe: 'Least severe log lines to write' }),
  telemetry: setting.boolean('TELEMETRY', {
    default: true,
    describe: 'Metrics on OPS_PORT, and traces when OTEL_EXPORTER_OTLP_ENDPOINT is set',
  }),
  version: setting.string('SKYFOLIO_VERSION', { default: 'unknown', describe: 'The release, as its metrics name it' }),
}

/** For a process that listens only for its operators, such as a worker. */
export const opsSettings = {
  ...processSettings,
  host: setting.string('HOST', { default: '127.0.0.1', describe: 'Address to listen on' }),
  opsPort: setting.integer('OPS_PORT', { min: 0, max: 65535, describe: 'Port of /livez, /readyz and /metrics' }),
  drainSeconds: setting.integer('DRAIN_SECONDS', {
    default: 10,
    min: 1,
    describe: 'After SIGTERM, how long requests and jobs in progress may take to end; then they are cut',
  }),
}

/** For every service that answers HTTP requests. */
export const commonSettings = {
  ...opsSettings,
  port: setting.integer('PORT', { min: 0, max: 65535, describe: 'Port to listen on' }),
  lameDuckSeconds: setting.integer('LAME_DUCK_SECONDS', {
    default: 0,
    min: 0,
    describe: 'After SIGTERM, how long requests are still served, each answer ending its connection, before it drains',
  }),
}

export const natsSettings = {
  natsUrl: setting.url('NATS_URL', {
    protocols: ['nats:', 'tls:'],
    describe: 'NATS server with JetStream; may carry `user:password@`; `tls:` takes only an encrypted connection',
  }),
  natsCredentialsFile: setting.string('NATS_CREDENTIALS_FILE', {
    optional: true,
    describe: "A NATS user's `.creds` file, in place of a password in NATS_URL",
  }),
}

/** For processes that create the streams. */
export const streamSettings = {
  natsReplicas: setting.integer('NATS_REPLICAS', {
    default: 1,
    min: 1,
    max: 5,
    describe: 'Copies of each NATS stream, at most as many as the cluster has servers; raised at once, never lowered',
  }),
}

export const redisSettings = {
  redisUrl: setting.url('REDIS_URL', { protocols: ['redis:', 'rediss:'], describe: 'Redis or Valkey server' }),
}

export const databaseSettings = {
  databaseUrl: setting.url('DATABASE_URL', {
    protocols: ['postgres:', 'postgresql:'],
    describe: "The service's own PostgreSQL database",
  }),
}

export const identitySettings = {
  identityKeys: setting.list('IDENTITY_KEYS', {
    min: 1,
    entryMin: 32,
    describe: 'Secrets of at least 32 characters, separated by commas: the first signs identities, all verify them',
  }),
}

/** For processes whose cookies or checks depend on where browsers see the application. */
export const originSettings = {
  publicOrigin: setting.url('PUBLIC_ORIGIN', {
    protocols: ['http:', 'https:'],
    describe: 'Address under which browsers see the application; https makes the cookies Secure',
  }),
}

/** Which of the optional ones are needed depends on OBJECT_STORE; `openObjectStore` checks. */
export const objectStoreSettings = {
  objectStore: setting.choice('OBJECT_STORE', ['dir', 's3'], {
    default: 'dir',
    describe: 'Where objects are kept: in a local directory or in an S3 bucket',
  }),
  objectStoreDir: setting.string('OBJECT_STORE_DIR', { optional: true, describe: 'The directory, for `dir`' }),
  s3Endpoint: setting.url('S3_ENDPOINT', {
    optional: true,
    protocols: ['http:', 'https:'],
    describe: 'The S3 server, for `s3`',
  }),
  s3Region: setting.string('S3_REGION', { default: 'us-east-1', describe: 'The region, for `s3`' }),
  s3Bucket: setting.string('S3_BUCKET', { optional: true, describe: 'The bucket, for `s3`' }),
  s3AccessKey: setting.string('S3_ACCESS_KEY', { optional: true, describe: 'The access key, for `s3`' }),
  s3SecretKey: setting.string('S3_SECRET_KEY', { optional: true, describe: 'The secret key, for `s3`' }),
  s3TimeoutSeconds: setting.integer('S3_TIMEOUT_SECONDS', {
    default: 20,
    min: 1,
    describe: 'A call fails when the S3 server is silent for this long',
  }),
  s3Connections: setting.integer('S3_CONNECTIONS', {
    default: 256,
    min: 1,
    describe: 'Connections of one process to the S3 server; further calls wait',
  }),
}
