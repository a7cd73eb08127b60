import { parseArgs } from 'node:util'
import { freePort } from '@skyfolio/testkit/servers'
import { chooseRuntime } from './choose-runtime.ts'
import { describePages } from './console.ts'
import { fillDemo } from './demo/demo.ts'
import { BuildError, runInContainers } from './in-containers.ts'
import { checkOutsideServers, hasPartner } from './outside-servers.ts'
import { dataDir } from './paths.ts'
import { publicPort, requireFreePort } from './ports.ts'
import { prepare } from './prepare.ts'
import { isAlive, type RuntimeState, readRuntime, removeRuntime, stopLeftovers } from './runtime-file.ts'
import { stopOnSignal } from './signals.ts'
import { System } from './system.ts'

// `npm start`, `npm run dev` (--dev) and `npm run demo` (--demo): the whole system on this machine.
const { values: flags } = parseArgs({
  options: { dev: { type: 'boolean', default: false }, demo: { type: 'boolean', default: false } },
})

async function main(): Promise<void> {
  const earlier = await readRuntime()
  if (earlier && (await isAlive(earlier.runner))) {
    console.log(`Skyfolio already runs (process ${earlier.runner.pid}): ${earlier.url}`)
    if (flags.demo) await fillDemo(earlier.url, { ordersAreFree: earlier.partnerSandbox !== undefined })
    return
  }
  if (earlier) await cleanUp(earlier)
  const { runtime, isExplicit } = await chooseRuntime(flags.dev ? 'dev' : 'start')
  if (runtime === 'native') return runNatively()
  try {
    await runInContainers(flags)
  } catch (error) {
    if (isExplicit || !(error instanceof BuildError)) throw error
    console.log(`${error.message}\nWithout Docker: the images cannot be built, see above.`)
    await runNatively()
  }
}

async function runNatively(): Promise<void> {
  const port = publicPort()
  const url = `http://127.0.0.1:${port}`
  await requireFreePort(port)
  checkOutsideServers()
  await prepare({ web: !flags.dev })

  // From here on: what the system writes is for its user alone.
  process.umask(0o077)
  const system = new System({ dataDir, url, port, dev: flags.dev, gatewayPort: flags.dev ? await freePort() : port })
  const { stopped } = stopOnSignal(() => system.stop())
  try {
    await system.start()
    console.log(
      `\nSkyfolio is ready: ${url}\n${describePages(system.pages)}\nCtrl-C stops it. Its data stays in ${dataDir}\n`,
    )
    if (flags.demo) await fillDemo(url, { ordersAreFree: !hasPartner() })
  } catch (error) {
    await system.stop()
    throw error
  }
  await stopped
}

async function cleanUp(earlier: RuntimeState): Promise<void> {
  const stopped = await stopLeftovers(earlier)
  await removeRuntime()
  if (stopped.length > 0) console.log(`An earlier run was killed; stopped its processes: ${stopped.join(', ')}.`)
}

main().catch((error: Error) => {
  console.error(`\n${error.message}\n`)
  process.exitCode = 1
})
