import http from 'node:http'
import https from 'node:https'
import { inSpan, type Logger, metrics } from '@skyfolio/kit'
import { type Call, type CallName, interpret } from './call.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import { type Exchange, post } from './transport.ts'
import { ENVIRONMENTS, type Environment, type ReadOutcome } from './types.ts'

export interface Credentials {
  apiKey: string
  affiliateId: string
}

/** The outcome of one request, and whether it can have reached the partner. */
export type Sent<Value> = ReadOutcome<Value> & { sent: boolean }

interface SenderDeps {
  urls: Record<Environment, string | undefined>
  credentials: Credentials
  logger: Logger
}

/** Sends one request, measured, traced and logged; neither body appears anywhere. */
type SendRequest = <Value>(
  environment: Environment,
  call: Call<Value>,
  options: { timeoutMs: number; ownConnection: boolean },
) => Promise<Sent<Value>>

const RESPONSE_MAX_BYTES = 2 * 1024 * 1024
/** Shorter credentials would be found in ordinary words. */
const SECRET_MIN = 4
const APP = { appVer: '1.0', devInf: 'WebApp,1.0' }

export function createSender({ urls, credentials, logger }: SenderDeps): SendRequest {
  const agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) }
  const { apiKey, affiliateId: affId } = credentials
  const secrets = [apiKey, affId].filter((secret) => secret.length >= SECRET_MIN)

  return (environment, call, { timeoutMs, ownConnection }) => {
    const url = new URL(`${urls[environment]?.replace(/\/+$/, '')}${call.path}`)
    const agent = ownConnection ? undefined : agents[url.protocol as keyof typeof agents]
    const body = JSON.stringify({ apiKey, affId, ...APP, ...call.body })
    return inSpan(`partner ${call.name}`, { 'partner.environment': environment }, async (span) => {
      const startedAt = performance.now()
      const options = { timeoutMs, maxBytes: RESPONSE_MAX_BYTES, ...(agent && { agent }) }
      const exchange = await post(url, body, options)
      const outcome = interpret(call, exchange, secrets)
      const ms = Math.round(performance.now() - startedAt)
      countRequest(call.name, outcome, ms)
      const description = describe(outcome, exchange)
      span.setAttributes(description)
      const fields = { call: call.name, environment, ms, ...description }
      if (outcome.outcome === 'failed') logger.warn(fields, 'partner request failed')
      else logger.debug(fields, 'partner request')
      return { ...outcome, sent: exchange.kind === 'response' || exchange.sent }
    })
  }
}

/** What may be logged of an outcome: nothing that the partner or the customer wrote but a short code. */
function describe(outcome: ReadOutcome<unknown>, exchange: Exchange): Record<string, string | number> {
  const fields: Record<string, string | number> = { outcome: outcome.outcome }
  if (exchange.kind === 'response') fields.httpStatus = exchange.status
  if (outcome.outcome === 'failed') fields.outcome = outcome.kind
  if (outcome.outcome === 'error') fields.partnerCode = /^\w{1,16}$/.test(outcome.code) ? outcome.code : 'other'
  return fields
}

const requests = metrics.counter(
  'skyfolio_partner_requests_total',
  'Requests to the print partner, by call and outcome: ok, error (with a code of the partner), or the kind of failure',
  ['call', 'outcome'],
)
const durations = metrics.histogram(
  'skyfolio_partner_seconds',
  'Duration of requests to the print partner',
  ['call'],
  [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16],
)
const circuitOpen = metrics.gauge(
  'skyfolio_partner_circuit_open',
  'Whether the circuit breaker of this process is open for an environment of the print partner (1) or not (0)',
  ['environment'],
)

/** Counts a request that was sent, or could not be sent. */
export function countRequest(call: CallName, outcome: ReadOutcome<unknown>, ms?: number): void {
  requests.inc({ call, outcome: outcome.outcome === 'failed' ? outcome.kind : outcome.outcome })
  if (ms !== undefined) durations.observe({ call }, ms / 1000)
}

export function measureCircuits(circuits: Record<Environment, CircuitBreaker>): void {
  metrics.onScrape('partner circuits', () =>
    ENVIRONMENTS.map((environment) => [circuitOpen, circuits[environment].isDenying() ? 1 : 0, { environment }]),
  )
}
