import { expect } from 'vitest'
import { type Behaviour, drop, dropHalfWay, GOOD_RESPONSES, hang, html, json, truncated } from './partner-server.ts'

/** Faults of transport: how a read fails, how often it is sent, and what a submit becomes. */
export const transportFaults: [string, Behaviour, object, number, object][] = [
  ['no response', hang, { kind: 'timeout' }, 1, { outcome: 'unknown', kind: 'timeout' }],
  ['a broken connection', drop, { kind: 'reset' }, 3, { outcome: 'unknown', kind: 'reset' }],
  [
    'half a response',
    dropHalfWay(GOOD_RESPONSES.products),
    { kind: 'reset' },
    3,
    { outcome: 'unknown', kind: 'reset' },
  ],
  ['truncated JSON', truncated(GOOD_RESPONSES.products), { kind: 'unreadable' }, 3, { outcome: 'unknown' }],
  ['500 with HTML', html(500), { kind: 'http', status: 500 }, 3, { outcome: 'unknown', status: 500 }],
  ['502 with HTML', html(502), { kind: 'http', status: 502 }, 3, { outcome: 'unknown', status: 502 }],
  ['503 with HTML', html(503), { kind: 'http', status: 503 }, 3, { outcome: 'unknown', status: 503 }],
  ['500 with JSON', json({ err: '9001' }, 500), { kind: 'http' }, 3, { outcome: 'unknown' }],
  ['200 with HTML', html(200), { kind: 'unreadable' }, 3, { outcome: 'unknown', kind: 'unreadable' }],
  ['400 with HTML', html(400), { kind: 'http', status: 400 }, 1, { outcome: 'unknown', kind: 'http' }],
  ['a list', json([]), { kind: 'unreadable' }, 3, { outcome: 'unknown' }],
  ['an empty object', json({}), { kind: 'unreadable' }, 3, { outcome: 'unknown', kind: 'unreadable' }],
  [
    'nothing but nulls',
    json({ err: null, products: null, photoStores: 1, vendorOrderId: null, statuses: null }),
    { kind: 'unreadable' },
    3,
    { outcome: 'unknown' },
  ],
  ['3 megabytes', json({ err: '', products: 'x'.repeat(3_000_000) }), { kind: 'too_large' }, 1, { outcome: 'unknown' }],
  [
    'a redirect',
    (response) => response.writeHead(307, { location: '/elsewhere' }).end(),
    { kind: 'http', status: 307 },
    3,
    { outcome: 'unknown', status: 307 },
  ],
  [
    '429',
    json({}, 429, { 'retry-after': '30' }),
    { kind: 'rate_limited', retryAfterMs: expect.any(Number) },
    1,
    { outcome: 'notSent', kind: 'rate_limited' },
  ],
  ['429 with a code', json({ err: '9429' }, 429), { kind: 'rate_limited' }, 1, { outcome: 'notSent' }],
  ['429 with HTML', html(429), { kind: 'rate_limited' }, 1, { outcome: 'unknown', kind: 'rate_limited' }],
  ['429 without a code', json({ err: '' }, 429), { kind: 'rate_limited' }, 1, { outcome: 'unknown' }],
]
