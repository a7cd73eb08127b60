import type { SubmitRequest } from '../src/partner/types.ts'
import type { CallName } from './partner-server.ts'
import type { openPartner } from './partner-support.ts'

export const ITEMS = [{ productId: '6560003', quantity: 3 }]
export const ORDER: SubmitRequest = {
  firstName: 'Ann',
  lastName: 'Lee',
  phone: '2185550100',
  email: 'ann@example.com',
  storeNum: '5803',
  promiseTime: '11-28-2026 5:30 PM',
  products: [{ productId: '6560003', images: [{ url: 'https://photos.example/api/uploads/p-1.jpg', quantity: 3 }] }],
  couponCode: 'SAVE',
  affNotes: 'Test Order, Do not print!',
}

type Partner = ReturnType<typeof openPartner>
/** The calls that read. */
export const reads = {
  credentials: (partner: Partner) => partner.credentials('sandbox'),
  products: (partner: Partner) => partner.products('sandbox'),
  stores: (partner: Partner) => partner.stores('sandbox', { latitude: '46.8', longitude: '-92.0', items: ITEMS }),
  coupon: (partner: Partner) => partner.coupon('sandbox', { couponCode: 'SAVE', items: ITEMS }),
  status: (partner: Partner) => partner.status('sandbox', ['WAG-1']),
} satisfies Partial<Record<CallName, unknown>>
export const readNames = Object.keys(reads) as (keyof typeof reads)[]
