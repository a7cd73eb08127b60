import {
  commonSettings,
  databaseSettings,
  deletionSettings,
  identitySettings,
  natsSettings,
  objectStoreSettings,
  opsSettings,
  originSettings,
  redisSettings,
  setting,
  streamSettings,
} from '@skyfolio/kit'

/** The settings of connections, for the service and its commands. */
export const serverSettings = { ...databaseSettings, ...redisSettings, ...natsSettings, ...streamSettings }

/** The mail server. Both are set or none; without them no mail is sent, and the screens say what is not available. */
const mailSettings = {
  smtpUrl: setting.url('SMTP_URL', {
    optional: true,
    protocols: ['smtp:', 'smtps:'],
    describe:
      'Mail server; may contain `user:password@`; `smtps:` is encrypted, `smtp:` by STARTTLS if offered or with a password',
  }),
  mailFrom: setting.string('MAIL_FROM', {
    optional: true,
    describe: 'Sender of mails, such as `Skyfolio <no-reply@example.com>`',
  }),
}

/** The settings of the worker. */
export const workerSettings = {
  ...opsSettings,
  ...serverSettings,
  ...originSettings,
  ...mailSettings,
  ...objectStoreSettings,
  auditDays: setting.integer('AUDIT_DAYS', {
    default: 365,
    min: 30,
    max: 36_500,
    describe: 'Days for which audit entries are kept',
  }),
}

/** The settings of the auth service. */
export const settings = {
  ...commonSettings,
  ...serverSettings,
  ...identitySettings,
  ...originSettings,
  ...mailSettings,
  ...deletionSettings,
  loginFailuresPerAccount: setting.integer('LOGIN_FAILURES_PER_ACCOUNT', {
    default: 10,
    min: 1,
    describe: 'Failed logins to one account: per minute by all strangers, per hour from each known device',
  }),
  loginFailuresPerAddress: setting.integer('LOGIN_FAILURES_PER_ADDRESS', {
    default: 50,
    min: 1,
    describe: 'Failed logins per minute from one address (IPv6: /64 network), not counting known devices',
  }),
  registrationsPerHour: setting.integer('REGISTRATIONS_PER_HOUR', {
    default: 20,
    min: 1,
    describe: 'Registrations, and as many requested password resets, per hour from one address (IPv6: /64 network)',
  }),
  passwordConcurrency: setting.integer('PASSWORD_CONCURRENCY', {
    default: 2,
    min: 1,
    max: 4,
    describe:
      'Maximum number of passwords hashed concurrently, 19 MiB each; Node has four threads for this and for files',
  }),
}
