export const INITIAL_PROFILE = {
  errorStyle: 'http-200' as 'http-200' | 'http-4xx' | 'html-5xx',
  numberFields: false,
  requestsPerMinute: 300,
  couponsPerMinute: 100,
  overLimit: 'http-429' as 'http-429' | 'error-code' | 'html-503',
  vendorOrderIds: 'digits' as 'digits' | 'prefixed' | 'uuid' | 'number',
  promiseTimeMinutes: 30,
  idsPerStatusCall: 100,
  sasMinutes: 60,
  cancelledText: 'Cancelled',
  downloads: true,
}

/** How the partner treats the affiliate. What is not publicly known of the partner is a setting here. */
export type Profile = typeof INITIAL_PROFILE

const WHOLE_NUMBER = { type: 'integer', minimum: 0, maximum: 1_000_000 }

/** What may be changed, as JSON Schema. */
export const PROFILE_SCHEMA: Record<keyof Profile, object> = {
  errorStyle: { enum: ['http-200', 'http-4xx', 'html-5xx'] },
  numberFields: { type: 'boolean' },
  requestsPerMinute: WHOLE_NUMBER,
  couponsPerMinute: WHOLE_NUMBER,
  overLimit: { enum: ['http-429', 'error-code', 'html-503'] },
  vendorOrderIds: { enum: ['digits', 'prefixed', 'uuid', 'number'] },
  promiseTimeMinutes: WHOLE_NUMBER,
  idsPerStatusCall: WHOLE_NUMBER,
  sasMinutes: WHOLE_NUMBER,
  cancelledText: { type: 'string', minLength: 1, maxLength: 200 },
  downloads: { type: 'boolean' },
}
