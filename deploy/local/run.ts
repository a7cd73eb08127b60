import { parseArgs } from 'node:util'
import { freePort } from '@skyfolio/kit/servers'
import { fillDemo } from './demo.ts'
import { dataDir } from './paths.ts'
import { isFree } from './ports.ts'
import { prepare } from './prepare.ts'
import { endLeftovers, forgetRuntime, isAlive, readRuntime } from './state.ts'
import { System } from './system.ts'

// `npm start`, `npm run dev` (--dev) and `npm run demo` (--demo): the whole system on this machine.
const { values: flags } = parseArgs({
  options: { dev: { type: 'boolean', default: false }, demo: { type: 'boolean', default: false } },
})

async function main(): Promise<void> {
  const port = publicPort()
  const url = `http://127.0.0.1:${port}`
  const earlier = await readRuntime()
  if (earlier && (await isAlive(earlier.runner))) {
    console.log(`Skyfolio already runs (process ${earlier.runner.pid}): ${earlier.url}`)
    if (flags.demo) await fillDemo(earlier.url)
    return
  }
  if (earlier) await cleanUpAfter(earlier)
  if (!(await isFree(port))) {
    throw new Error(`Port ${port} is taken. Free it, or choose another: SKYFOLIO_PORT=8090 npm start`)
  }
  await prepare({ web: !flags.dev })

  const system = new System({ dataDir, url, port, dev: flags.dev, gatewayPort: flags.dev ? await freePort() : port })
  const stopped = stopOnSignal(system)
  try {
    await system.start()
    console.log(`\nSkyfolio is ready: ${url}\nCtrl-C stops it. Its data stays in ${dataDir}\n`)
    if (flags.demo) await fillDemo(url)
  } catch (error) {
    await system.stop()
    throw error
  }
  await stopped
}

function publicPort(): number {
  const text = process.env.SKYFOLIO_PORT ?? '8080'
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new Error(`SKYFOLIO_PORT is "${text}"; it must be a port number from 1 to 65535.`)
}

async function cleanUpAfter(earlier: NonNullable<Awaited<ReturnType<typeof readRuntime>>>): Promise<void> {
  const ended = await endLeftovers(earlier)
  await forgetRuntime()
  if (ended.length > 0) console.log(`An earlier run was killed; ended what it left: ${ended.join(', ')}.`)
}

/** A terminal sends Ctrl-C to the whole process group and npm repeats it: only a later signal is a second wish. */
const sameSignalMs = 1500

function stopOnSignal(system: System): Promise<void> {
  return new Promise((resolve) => {
    let firstAt = 0
    const stop = () => {
      if (firstAt > 0 && Date.now() - firstAt > sameSignalMs) process.exit(130)
      if (firstAt > 0) return
      firstAt = Date.now()
      console.log('\nStopping …')
      void system.stop().then(resolve)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  })
}

main().catch((error: Error) => {
  console.error(`\n${error.message}\n`)
  process.exitCode = 1
})
