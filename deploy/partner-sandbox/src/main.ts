import { startSandbox } from './sandbox.ts'
import { readSettings } from './settings.ts'

const sandbox = await startSandbox(readSettings(process.env))
console.info(`partner sandbox: nothing is printed; API ${sandbox.url}, page ${sandbox.controlUrl}`)

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void sandbox.stop())
}
