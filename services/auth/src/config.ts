import {
  commonSettings,
  databaseSettings,
  identitySettings,
  natsSettings,
  originSettings,
  redisSettings,
  setting,
} from '@skyfolio/kit'

/** The settings of connections, for the service and its commands. */
export const serverSettings = { ...databaseSettings, ...redisSettings, ...natsSettings }

/** The settings of the auth service. */
export const settings = {
  ...commonSettings,
  ...serverSettings,
  ...identitySettings,
  ...originSettings,
  loginFailuresPerAccount: setting.integer('LOGIN_FAILURES_PER_ACCOUNT', {
    default: 10,
    min: 1,
    describe: 'Failed logins per minute for one account',
  }),
  loginFailuresPerAddress: setting.integer('LOGIN_FAILURES_PER_ADDRESS', {
    default: 50,
    min: 1,
    describe: 'Failed logins per minute from one address (IPv6: /64 network)',
  }),
  registrationsPerHour: setting.integer('REGISTRATIONS_PER_HOUR', {
    default: 20,
    min: 1,
    describe: 'Registrations per hour from one address (IPv6: /64 network)',
  }),
  passwordConcurrency: setting.integer('PASSWORD_CONCURRENCY', {
    default: 2,
    min: 1,
    max: 4,
    describe: 'Passwords hashed concurrently, 19 MiB each; Node has four threads for this and for files',
  }),
  passwordQueue: setting.integer('PASSWORD_QUEUE', {
    default: 100,
    min: 0,
    describe: 'Queue for password hashing; further sign-ins get 503',
  }),
}
