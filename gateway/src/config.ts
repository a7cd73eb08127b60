import {
  commonSettings,
  identitySettings,
  natsSettings,
  originSettings,
  redisSettings,
  setting,
  uploadLimitSettings,
} from '@skyfolio/kit'

const http = ['http:', 'https:']

/** The settings of the gateway; listed in its README. */
export const settings = {
  ...commonSettings,
  ...natsSettings,
  ...redisSettings,
  ...identitySettings,
  ...uploadLimitSettings,
  ...originSettings,
  allowedOrigins: setting.list('ALLOWED_ORIGINS', {
    default: [],
    describe: 'Further origins whose pages are the application, separated by commas',
  }),
  trustedProxies: setting.list('TRUSTED_PROXIES', {
    default: [],
    describe: 'Addresses or networks of proxies whose X-Forwarded-For is believed, separated by commas',
  }),
  authUrl: setting.url('AUTH_URL', { protocols: http, describe: 'The auth service' }),
  mediaUrl: setting.url('MEDIA_URL', { protocols: http, describe: 'The media service' }),
  foldersUrl: setting.url('FOLDERS_URL', { protocols: http, describe: 'The folders service' }),
  webRoot: setting.string('WEB_ROOT', { describe: 'Folder of the built web application' }),
  requestsPerMinute: setting.integer('REQUESTS_PER_MINUTE', {
    default: 6000,
    min: 1,
    describe: 'API requests a minute from one address (IPv6: /64 network), votes apart',
  }),
  votesPerMinuteOfAddress: setting.integer('VOTES_PER_MINUTE_OF_ADDRESS', {
    default: 1200,
    min: 1,
    describe: 'Votes a minute from one address (IPv6: /64 network)',
  }),
  votesPerMinuteOfVoter: setting.integer('VOTES_PER_MINUTE_OF_VOTER', {
    default: 60,
    min: 1,
    describe: 'Votes a minute of one voter: of one voter token, and of one fingerprint',
  }),
  loadTestKey: setting.secret('LOAD_TEST_KEY', {
    optional: true,
    describe: 'Signs the tokens of load tests, whose votes then have a limit of their own; without it there are none',
  }),
  loadTestVotesPerMinute: setting.integer('LOAD_TEST_VOTES_PER_MINUTE', {
    default: 60_000,
    min: 1,
    describe: 'Votes a minute of all load tests together, in place of the limit of their addresses',
  }),
  streamsPerUser: setting.integer('STREAMS_PER_USER', {
    default: 10,
    min: 1,
    describe: 'Open streams of live events for one user',
  }),
}
