import {
  commonSettings,
  databaseSettings,
  identitySettings,
  natsSettings,
  originSettings,
  redisSettings,
  setting,
} from '@skyfolio/kit'

/** What every process of auth needs to reach its servers. */
export const serverSettings = { ...databaseSettings, ...redisSettings, ...natsSettings }

/** The settings of the auth service; listed in its README. */
export const settings = {
  ...commonSettings,
  ...serverSettings,
  ...identitySettings,
  ...originSettings,
  loginFailuresPerAccount: setting.integer('LOGIN_FAILURES_PER_ACCOUNT', {
    default: 10,
    min: 1,
    describe: 'Failed logins a minute for one account',
  }),
  loginFailuresPerAddress: setting.integer('LOGIN_FAILURES_PER_ADDRESS', {
    default: 50,
    min: 1,
    describe: 'Failed logins a minute from one address (IPv6: /64 network)',
  }),
  registrationsPerHour: setting.integer('REGISTRATIONS_PER_HOUR', {
    default: 20,
    min: 1,
    describe: 'Registrations an hour from one address (IPv6: /64 network)',
  }),
  passwordConcurrency: setting.integer('PASSWORD_CONCURRENCY', {
    default: 2,
    min: 1,
    max: 4,
    describe: 'Passwords hashed at once, 19 MiB each; Node has four threads for this and for files',
  }),
  passwordQueue: setting.integer('PASSWORD_QUEUE', {
    default: 100,
    min: 0,
    describe: 'Sign-ins that may wait for their turn; more are answered 503',
  }),
}
