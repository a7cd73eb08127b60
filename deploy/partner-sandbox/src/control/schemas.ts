import { FAULTS, ROUTES } from '../state/faults.ts'

// JSON schemas of the control API's bodies.

const whole = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum })
const text = (maxLength: number, minLength = 0) => ({ type: 'string', minLength, maxLength })
const body = (properties: object, required: string[] = []) => ({
  body: { type: 'object', properties, required, additionalProperties: false },
})

export const clockSchema = body({
  advanceMinutes: { type: 'number', minimum: -5_256_000, maximum: 5_256_000 },
  advanceHours: { type: 'number', minimum: -87_600, maximum: 87_600 },
  now: text(40, 1),
  toNextStep: { type: 'boolean' },
  reset: { type: 'boolean' },
})

export const faultSchema = body(
  {
    fault: { type: 'string', enum: Object.keys(FAULTS) },
    route: { type: 'string', enum: ['*', ...ROUTES] },
    times: { type: ['integer', 'null'], minimum: 1, maximum: 1_000_000 },
    skip: whole(0, 1_000_000),
    probability: { type: 'number', minimum: 0, maximum: 1 },
    when: { type: 'string', enum: ['before', 'after'] },
    seconds: { type: 'number', minimum: 0, maximum: 86_400 },
    ms: whole(0, 600_000),
    code: text(40),
    text: text(200),
    minutes: whole(-10_080, 10_080),
    percent: whole(-100, 1_000),
    fields: { type: 'array', maxItems: 50, items: text(60) },
    count: whole(0, 10_000),
    retryAfter: whole(0, 86_400),
  },
  ['fault'],
)

export const statusSchema = body({ status: { type: ['string', 'null'], maxLength: 100 } }, ['status'])

export const listSchema = {
  querystring: {
    type: 'object',
    properties: { limit: { type: 'string', pattern: '^[1-9][0-9]{0,5}$' } },
    additionalProperties: false,
  },
}
