/** A process for lifetime.test.ts; its first argument says how it is to behave. */
import { once } from 'node:events'
import { trace } from '@opentelemetry/api'
import { freePort } from '@skyfolio/testkit/servers'
import { buildServer, inSpan, type Lifetime, runProcess, serve, startOps } from '../src/index.ts'

async function drain(life: Lifetime): Promise<void> {
  const port = await freePort()
  await startOps(life, { host: '127.0.0.1', port })
  life.logger.info({ opsUrl: `http://127.0.0.1:${port}` }, 'the test may begin')
  life.defer('slow', async () => {
    life.logger.info('stopping slowly')
    process.stdin.resume()
    await once(process.stdin, 'end')
  })
}

async function traced(life: Lifetime): Promise<void> {
  const app = await buildServer({ name: 'test', logger: life.logger })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  app.post('/things/:id', { config: { access: 'public' } }, async (request) => {
    request.log.info('in the handler')
    return inSpan('work', {}, async () => (await fetch(`${url}/inner`)).json())
  })
  app.get('/quiet', { config: { access: 'public', quiet: true } }, async () => ({}))
  app.get('/inner', { config: { access: 'public' } }, async () => ({
    inner: trace.getActiveSpan()?.spanContext().traceId,
  }))
  await serve(life, app, { host: '127.0.0.1', port })
  life.logger.info({ url }, 'the test may begin')
}

await runProcess('test', async (life) => {
  const scenario = process.argv[2]
  if (scenario === 'drain') return drain(life)
  if (scenario === 'traced') return traced(life)
  if (scenario === 'failing start') throw new Error('lost')
  setImmediate(() => Promise.reject(new Error('lost')))
})
