import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { createHealth, createLifetime, createLogger } from '../src/index.ts'

const children: ChildProcessWithoutNullStreams[] = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** A process with the lines that it logged and nobody asked for yet. */
type Started = ChildProcessWithoutNullStreams & { lines: AsyncIterator<string> }

function start(scenario: string, environment: NodeJS.ProcessEnv = {}): Started {
  const file = fileURLToPath(new URL('./lifetime-process.ts', import.meta.url))
  const child = spawn(process.execPath, [file, scenario], { env: { ...process.env, ...environment } })
  children.push(child)
  // One reader for the process's whole life: two messages may come in one chunk.
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return Object.assign(child, { lines })
}

/** Resolves with the next message of the kind that the process logs. */
async function logged(child: Started, msg: string): Promise<Record<string, unknown>> {
  for (let line = await child.lines.next(); !line.done; line = await child.lines.next()) {
    const entry = JSON.parse(line.value)
    if (entry.msg === msg) return entry
  }
  throw new Error(`the process ended without "${msg}"`)
}

const silent = createLogger('test', 'silent')

test('a process is ready from its start to its drain, while every check passes', async () => {
  const health = createHealth()
  let broken = false
  health.addCheck('database', async () => {
    if (broken) throw new Error('out of reach')
  })
  expect(await health.readiness()).toEqual({ ok: false, checks: { process: 'starting', database: 'ok' } })
  health.ready()
  expect(await health.readiness()).toMatchObject({ ok: true })
  broken = true
  expect(await health.readiness()).toEqual({ ok: false, checks: { process: 'ok', database: 'out of reach' } })
  broken = false
  health.drain()
  health.ready()
  expect(await health.readiness()).toMatchObject({ ok: false, checks: { process: 'draining' } })
})

test('stops run in reverse order, after readiness is off', async () => {
  const life = createLifetime(silent)
  life.health.ready()
  const order: string[] = []
  life.defer('database', () => order.push('database'))
  life.defer('http', async () => {
    order.push((await life.health.readiness()).ok ? 'ready' : 'not ready', 'http')
  })
  expect(await life.close()).toBe(true)
  expect(order).toEqual(['not ready', 'http', 'database'])
})

test('a stop that fails or hangs does not prevent the others', async () => {
  const life = createLifetime(silent, 20)
  const order: string[] = []
  life.defer('database', () => order.push('database'))
  life.defer('hanging', () => new Promise(() => {}))
  life.defer('failing', () => {
    throw new Error('no')
  })
  expect(await life.close()).toBe(false)
  expect(order).toEqual(['database'])
})

test('a stop may have a longer limit of its own', async () => {
  const life = createLifetime(silent, 1)
  life.defer('uploads', () => new Promise((resolve) => setTimeout(resolve, 50)), 30_000)
  expect(await life.close()).toBe(true)
})

test('SIGTERM drains: readiness is 503 while stops run, then the process exits with 0', async () => {
  const child = start('drain')
  const { opsUrl } = await logged(child, 'the test may begin')
  await logged(child, 'started')
  expect((await fetch(`${opsUrl}/readyz`)).status).toBe(200)
  expect((await fetch(`${opsUrl}/livez`)).status).toBe(200)
  expect(await (await fetch(`${opsUrl}/metrics`)).text()).toContain('process_cpu_seconds_total')
  child.kill('SIGTERM')
  await logged(child, 'stopping slowly')
  const readiness = await fetch(`${opsUrl}/readyz`)
  expect(readiness.status).toBe(503)
  expect(await readiness.json()).toMatchObject({ ok: false, checks: { process: 'draining' } })
  expect((await fetch(`${opsUrl}/release`)).status).toBe(404)
  child.stdin.end('go on')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('a second signal ends the process at once', async () => {
  const child = start('drain')
  await logged(child, 'started')
  child.kill('SIGTERM')
  await logged(child, 'stopping slowly')
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([1, null])
})

test.each(['stray', 'failing start'])('an error (%s) ends the process with 1 and a log line', async (scenario) => {
  const child = start(scenario)
  const exit = once(child, 'exit')
  let output = ''
  for (let line = await child.lines.next(); !line.done; line = await child.lines.next()) output += line.value
  expect(await exit).toEqual([1, null])
  expect(output).toContain('"message":"lost"')
  expect(output).toContain('"level":60')
})

test('a wrong configuration ends the process with a plain message', async () => {
  const child = start('drain', { LOG_LEVEL: 'loud' })
  const [exit, message] = await Promise.all([once(child, 'exit'), text(child.stderr)])
  expect(exit).toEqual([1, null])
  expect(message).toContain('test: The configuration is not valid:\n  LOG_LEVEL must be one of')
})

test('requests continue the trace of their header with an OTLP endpoint, and logs contain its id', async () => {
  const received = Promise.withResolvers<string>()
  const collector = createServer(async (request, response) => {
    const body = await text(request)
    response.end('{}')
    if (request.url === '/v1/traces') received.resolve(body)
  })
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  const address = collector.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const child = start('traced', {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  })
  const { url } = await logged(child, 'the test may begin')
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, 'content-type': 'application/json' }
  // Of a quiet route the caller cannot have all requests traced: this id is not in the sample.
  const unsampled = { traceparent: `00-ffffffff${'0'.repeat(24)}-b7ad6b7169203331-01` }
  expect((await fetch(`${url}/quiet`, { headers: unsampled })).status).toBe(200)
  const answer = await fetch(`${url}/things/7`, { method: 'POST', headers, body: '{}' })
  // The handler calls its own server again, so the trace crosses HTTP once more.
  expect(await answer.json()).toEqual({ inner: traceId })
  expect(await logged(child, 'in the handler')).toMatchObject({ traceId })
  child.stdin.end()
  child.kill('SIGTERM')
  const { resourceSpans } = JSON.parse(await received.promise)
  const spans = resourceSpans[0].scopeSpans.flatMap((scope: { spans: unknown[] }) => scope.spans)
  expect(new Set(spans.map((span: { traceId: string }) => span.traceId))).toEqual(new Set([traceId]))
  expect(spans.map((span: { name: string }) => span.name).sort()).toEqual(['GET', 'request', 'request', 'work'])
  collector.close()
})
