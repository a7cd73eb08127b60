import {
  commonSettings,
  deletionSettings,
  identitySettings,
  isProxy,
  natsSettings,
  originSettings,
  publicStoreSettings,
  redisSettings,
  setting,
  uploadSettings,
} from '@skyfolio/kit'

const http = ['http:', 'https:']

/** The origin of any other is `null`, as is that of pages without one. */
function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && http.includes(new URL(text).protocol)
}

/** The settings of the gateway. */
export const settings = {
  ...commonSettings,
  ...natsSettings,
  ...redisSettings,
  ...identitySettings,
  ...uploadSettings,
  ...originSettings,
  ...publicStoreSettings,
  ...deletionSettings,
  allowedOrigins: setting.list('ALLOWED_ORIGINS', {
    default: [],
    entries: { accept: isHttpUrl, words: 'URLs that start with http: or https:' },
    describe: 'Other origins that serve the application, separated by commas',
  }),
  trustedProxies: setting.list('TRUSTED_PROXIES', {
    default: [],
    entries: { accept: isProxy, words: 'addresses and networks, such as 10.0.0.0/8' },
    describe: 'Addresses or networks of proxies whose X-Forwarded-For is trusted, separated by commas',
  }),
  authUrl: setting.url('AUTH_URL', { protocols: http, describe: 'URL of the auth service' }),
  mediaUrl: setting.url('MEDIA_URL', { protocols: http, describe: 'URL of the media service' }),
  foldersUrl: setting.url('FOLDERS_URL', { protocols: http, describe: 'URL of the folders service' }),
  printOrdersUrl: setting.url('PRINT_ORDERS_URL', { protocols: http, describe: 'URL of the print-orders service' }),
  pictureCacheMegabytes: setting.integer('PICTURE_CACHE_MEGABYTES', {
    default: 64,
    min: 0,
    describe: 'Memory for pictures, in MiB; slow clients may hold as much again; 0 keeps none',
  }),
  termsFile: setting.string('TERMS_FILE', {
    optional: true,
    describe: 'Text file with the terms of use; a neutral text by default',
  }),
  privacyFile: setting.string('PRIVACY_FILE', {
    optional: true,
    describe: 'Text file with the privacy policy; a neutral text by default',
  }),
  mapLayers: setting.string('MAP_LAYERS', {
    optional: true,
    describe:
      'JSON list of other maps, such as [{"name":"Streets","url":"https://tiles.example/{z}/{x}/{y}.png","attribution":"© Example"}]; loaded only after a user agrees',
  }),
  requestsPerMinute: setting.integer('REQUESTS_PER_MINUTE', {
    default: 6000,
    min: 1,
    describe: 'API requests per minute from one address (IPv6: /64 network), excluding votes, pictures and pages',
  }),
  pagesPerMinuteOfAddress: setting.integer('PAGES_PER_MINUTE_OF_ADDRESS', {
    default: 30_000,
    min: 1,
    describe:
      'Requests for pages and files of the application per minute from one address (IPv6: /64 network), and as many for pictures, which are delayed before any is rejected',
  }),
  votesPerMinuteOfAddress: setting.integer('VOTES_PER_MINUTE_OF_ADDRESS', {
    default: 1200,
    min: 1,
    describe: 'Votes per minute from one address (IPv6: /64 network)',
  }),
  votesPerMinuteOfVoter: setting.integer('VOTES_PER_MINUTE_OF_VOTER', {
    default: 60,
    min: 1,
    describe: 'Votes per minute of one voter, counted by voter token and by fingerprint',
  }),
  loadTestKey: setting.secret('LOAD_TEST_KEY', {
    optional: true,
    describe: 'Key that signs load test tokens, whose votes have a separate limit; without it the tokens are ignored',
  }),
}
