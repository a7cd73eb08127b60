import http from 'node:http'
import https from 'node:https'
import { inSpan, type Logger } from '@skyfolio/kit'
import { type Call, interpret } from './call.ts'
import { countRequest } from './measure.ts'
import { type Exchange, post } from './transport.ts'
import type { Environment, ReadOutcome } from './types.ts'

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
export type SendRequest = <Value>(
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
