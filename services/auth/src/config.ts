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
import { DEFAULT_SESSIONS_PER_USER } from './sessions/sessions.ts'

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
  mailConcurrency: setting.integer('MAIL_CONCURRENCY', {
    default: 5,
    min: 1,
    max: 50,
    describe: 'Mails sent at the same time by one process, each over a connection of its own',
  }),
  auditDays: setting.integer('AUDIT_DAYS', {
    default: 365,
    min: 30,
    max: 36_500,
    describe: 'Days for which the entries of the audit log are kept',
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
  sessionsPerUser: setting.integer('SESSIONS_PER_USER', {
    default: DEFAULT_SESSIONS_PER_USER,
    min: 1,
    max: 10_000,
    describe: 'Sessions of one user; a further sign-in ends the one used least recently',
  }),
  loginFailuresPerAccount: setting.integer('LOGIN_FAILURES_PER_ACCOUNT', {
    default: 10,
    min: 1,
    describe: 'Failed logins for one account: per minute by strangers, per hour from a device where it has signed in',
  }),
  loginFailuresPerAddress: setting.integer('LOGIN_FAILURES_PER_ADDRESS', {
    default: 50,
    min: 1,
    describe: 'Failed logins per minute from one address (IPv6: /64 network), without devices known to the account',
  }),
  registrationsPerHour: setting.integer('REGISTRATIONS_PER_HOUR', {
    default: 20,
    min: 1,
    describe: 'Registrations per hour from one address (IPv6: /64 network)',
  }),
  passwordResetsPerHour: setting.integer('PASSWORD_RESETS_PER_HOUR', {
    default: 5,
    min: 1,
    describe: 'Requested password resets per hour for one e-mail address',
  }),
  passwordResetsPerAddress: setting.integer('PASSWORD_RESETS_PER_ADDRESS', {
    default: 20,
    min: 1,
    describe: 'Requested password resets per hour from one address (IPv6: /64 network)',
  }),
  addressMailsPerHour: setting.integer('ADDRESS_MAILS_PER_HOUR', {
    default: 10,
    min: 1,
    describe: 'Mails per hour that confirm an e-mail address, for one account and to one e-mail address',
  }),
  passwordConcurrency: setting.integer('PASSWORD_CONCURRENCY', {
    default: 2,
    min: 1,
    max: 4,
    describe: 'Passwords hashed concurrently, 19 MiB each; Node has four threads for this and for files',
  }),
  passwordQueue: setting.integer('PASSWORD_QUEUE', {
    default: 400,
    min: 0,
    describe: 'Queue for password hashing; further sign-ins get 503, and those beyond the quarter of one site 429',
  }),
}
