import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { accountDeleted, isUnavailable } from '@skyfolio/kit'
import type { RateLimit } from '@skyfolio/kit/rate-limit'
import type { CouponLimits } from '../catalog/coupon.ts'
import { type FiguresDeps, freshFigures } from '../catalog/fresh-figures.ts'
import type { Database } from '../database.ts'
import { readEnvironment } from '../environment.ts'
import { failureError } from '../partner/problem.ts'
import { type Environment, type SubmitRequest, TEST_NOTE } from '../partner/types.ts'
import { claimOrder, type EarlierOrder, findDecided, findEarlier, type RequestKey } from './claim.ts'
import {
  currentFigures,
  describeChange,
  figuresOf,
  isChanged,
  type PricedOrder,
  priceOrder,
  toPartnerProducts,
} from './figures.ts'
import { hashOrder, hashRequest } from './hashes.ts'
import { absoluteUrl, type ImageOrigins } from './image-urls.ts'
import type { OrderWithItems } from './order-events.ts'
import type { OrderPlacer, Placement } from './place-order.ts'
import { type PrintImages, printSizeOf, readyFilenames } from './print-images.ts'
import { orderRejection } from './record-outcome.ts'
import { type OrderRequest, quantitiesOf, readOrderRequest, type SubmitBody } from './submit-request.ts'
import {
  changed,
  notSent,
  otherBody,
  rejected,
  responseTo,
  type SubmitResponse,
  unresolved,
} from './submit-response.ts'

export interface SubmitterDeps extends FiguresDeps {
  images: PrintImages
  placer: OrderPlacer
  limits: CouponLimits & { submits: RateLimit }
  origins: ImageOrigins
  /** Time limit of one call to the partner. */
  partnerTimeoutMs: number
}

export interface Submitter {
  /** Places an order, or tells what became of it when the request was seen before. @throws AppError */
  submit(request: { userId: number; idempotencyKey: string | null; body: SubmitBody }): Promise<SubmitResponse>
}

/** All that a submit may take. */
export const SUBMIT_MS = 20_000
const FIGURES_MS = 8_000
/** Of SUBMIT_MS, for claim, record and response. */
const RESERVE_MS = 1_000
/** However late it is, a step has this long. */
const SHORTEST_MS = 1_000
const POLL_MS = 100

const ENVIRONMENT_CHANGED =
  'The print service was switched meanwhile. Please search for stores again and check your order.'

export function createSubmitter(deps: SubmitterDeps): Submitter {
  return {
    async submit({ userId, idempotencyKey, body }) {
      const deadline = performance.now() + SUBMIT_MS
      const request = readOrderRequest(body, deps.origins)
      const key = keyOf(userId, idempotencyKey, body)
      const earlier = await findEarlier(deps.db, key)
      if (earlier) return responseToEarlier(deps, key, earlier, deadline)
      const orderHash = hashOrder(request)
      const decidedBefore = await findDecided(deps.db, userId, orderHash)
      await deps.limits.submits.count(userId)
      return submitNew(deps, { key, request, orderHash, decidedBefore, deadline })
    },
  }
}

function keyOf(userId: number, given: string | null, body: SubmitBody): RequestKey {
  const requestHash = hashRequest(body)
  const isAutomatic = given === null
  return { userId, idempotencyKey: given ?? `auto:${requestHash}`, isAutomatic, requestHash }
}

interface Submission {
  key: RequestKey
  request: OrderRequest
  orderHash: string
  decidedBefore: number[]
  deadline: number
}

async function submitNew(deps: SubmitterDeps, submission: Submission): Promise<SubmitResponse> {
  const { key, request } = submission
  const environment = await readEnvironment(deps.db)
  if (!deps.partner.configured(environment)) throw failureError({ kind: 'not_configured' })
  if (await searchedElsewhere(deps.db, key.userId, environment)) return switched(request)
  const { storeNumber: storeNum, couponCode } = request
  const wanted = { userId: key.userId, storeNum, items: quantitiesOf(request), couponCode }
  const figures = await freshFigures(deps, environment, wanted, FIGURES_MS)
  const order = priceOrder(request, figures)
  if (isChanged(request, order))
    return changed(describeChange(request, order, figures.coupon), currentFigures(order, figures.coupon))
  return claimAndPlace(deps, submission, environment, order)
}

async function claimAndPlace(
  deps: SubmitterDeps,
  { key, request, orderHash, decidedBefore, deadline }: Submission,
  environment: Environment,
  order: PricedOrder,
): Promise<SubmitResponse> {
  const { db, images, placer, partnerTimeoutMs } = deps
  const imagesDeadline = Math.max(performance.now() + SHORTEST_MS, deadline - partnerTimeoutMs - RESERVE_MS)
  const wanted = order.lines.map(({ field, image, product }) => ({ field, image, size: printSizeOf(product) }))
  const filenames = await readyFilenames(images, key.userId, wanted, imagesDeadline)

  const claimId = randomUUID()
  const callMs = partnerTimeoutMs
  const toClaim = { key, claimId, orderHash, decidedBefore, environment, order, filenames, callMs }
  const claim = await claimOrder(db, { ...toClaim, customer: request.customer }).catch((error) => {
    // A commit whose confirmation was lost may have happened.
    if (isUnavailable(error)) placer.drop(claimId)
    throw error
  })
  if (claim.kind === 'unresolved') throw unresolved()
  if (claim.kind === 'switched') return switched(request)
  if (claim.kind === 'existing') return responseToEarlier(deps, key, claim.earlier, deadline)
  return place(deps, claim.order, claimId, deadline)
}

/** Sends a claimed order in the time that is left: the claim may have waited for another one of the user. */
async function place(
  deps: SubmitterDeps,
  order: OrderWithItems,
  claimId: string,
  deadline: number,
): Promise<SubmitResponse> {
  const { placer, partnerTimeoutMs } = deps
  const callMs = timeOfCall(deadline - performance.now(), partnerTimeoutMs)
  if (callMs === null) {
    placer.drop(claimId)
    throw notSent()
  }
  const time = { callMs, deadline: deadline - RESERVE_MS / 2 }
  return responseToPlacement(order, await placer.place(order, partnerRequest(deps, order), time))
}

/** What a call to the partner may take of the time that is left; null when that is too short to send an order. */
export function timeOfCall(leftMs: number, partnerTimeoutMs: number): number | null {
  const callMs = Math.min(partnerTimeoutMs, leftMs - RESERVE_MS)
  return callMs < Math.min(partnerTimeoutMs, SHORTEST_MS) ? null : callMs
}

/** Whether the store was found while orders went to another environment. */
async function searchedElsewhere(db: Database, userId: number, environment: Environment): Promise<boolean> {
  const search = await db.storeSearch.findUnique({ where: { userId } })
  return search !== null && search.environment !== environment
}

/** The figures of the other environment are read by the next search: until then, those that the customer saw. */
function switched({ subtotalCents, totalCents, promiseTime }: OrderRequest): SubmitResponse {
  const discountCents = Math.max(0, subtotalCents - totalCents)
  return changed(ENVIRONMENT_CHANGED, figuresOf({ subtotalCents, discountCents, totalCents, promiseTime }))
}

function partnerRequest({ origins }: SubmitterDeps, order: OrderWithItems): SubmitRequest {
  const prints = order.items.map(({ productId, quantity, imageUrl }) => {
    return { productId, quantity, url: absoluteUrl(origins.printImageOrigin, imageUrl) }
  })
  return {
    firstName: order.customerFirstName,
    lastName: order.customerLastName,
    phone: order.customerPhone,
    email: order.customerEmail,
    storeNum: order.storeNumber,
    promiseTime: order.promiseTime ?? '',
    products: toPartnerProducts(prints),
    couponCode: order.couponCode,
    affNotes: order.environment === 'sandbox' ? TEST_NOTE : `Skyfolio order ${order.id}`,
  }
}

function responseToPlacement(claim: OrderWithItems, { outcome, recorded }: Placement): SubmitResponse {
  if (outcome.outcome === 'notSent') throw notSent(outcome.retryAfterMs)
  if (recorded === 'unrecorded') return responseTo({ ...claim, orderStatus: 'unknown' }, true)
  if (recorded === null) throw accountDeleted()
  if (outcome.outcome === 'rejected') throw rejected(orderRejection(outcome))
  if (outcome.outcome === 'accepted' && recorded.vendorOrderId === null) return responseTo(claim, true)
  return responseTo(recorded, true)
}

/** Waits while the earlier request is in progress. @throws AppError 409 when its contents were others */
async function responseToEarlier(
  { db }: SubmitterDeps,
  { requestHash }: RequestKey,
  earlier: EarlierOrder,
  deadline: number,
): Promise<SubmitResponse> {
  if (earlier.requestHash !== requestHash) throw otherBody()
  for (;;) {
    const order = await db.order.findUnique({ where: { id: earlier.orderId } })
    if (!order) throw notSent()
    if (order.orderStatus !== 'claimed' || performance.now() + POLL_MS >= deadline) return responseTo(order, false)
    await delay(POLL_MS)
  }
}
