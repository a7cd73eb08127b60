import { startSandbox } from './sandbox.ts'

const { HOST, PORT, CONTROL_PORT, IMAGE_ORIGIN, SANDBOX_API_KEY, SANDBOX_AFFILIATE_ID, LATENCY } = process.env
const { DATA_FILE, CONTROL_KEY } = process.env
if (!IMAGE_ORIGIN) throw new Error('IMAGE_ORIGIN is required: the only origin that images are fetched from.')
const sandbox = await startSandbox({
  port: Number(PORT || 8095),
  controlPort: Number(CONTROL_PORT || 8096),
  imageOrigin: IMAGE_ORIGIN,
  latency: LATENCY === 'off' ? 'off' : 'realistic',
  // Without an address Node listens on all, also where the kernel has no IPv6.
  ...(HOST && { host: HOST === '::' ? '' : HOST }),
  ...(SANDBOX_API_KEY && { apiKey: SANDBOX_API_KEY }),
  ...(SANDBOX_AFFILIATE_ID && { affiliateId: SANDBOX_AFFILIATE_ID }),
  ...(DATA_FILE && { dataFile: DATA_FILE }),
  ...(CONTROL_KEY && { controlKey: CONTROL_KEY }),
})
console.info(`partner sandbox: nothing is printed; API ${sandbox.url}, page ${sandbox.controlUrl}`)

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void sandbox.stop())
}
