import { join } from 'node:path'
import { freePort } from '@skyfolio/testkit/servers'
import { preferredOrFreePort, preferredSandboxPort } from './ports.ts'
import type { PartnerSandbox } from './runtime-file.ts'
import { SANDBOX_CREDENTIALS } from './services.ts'

export const SANDBOX_ENTRY_POINT = 'deploy/partner-sandbox/src/main.ts'

/** Where the sandbox of a local system listens, and its environment. It fetches images from the gateway alone. */
export async function planPartnerSandbox(options: { dataDir: string; gatewayPort: number; pageKey: string }): Promise<{
  sandbox: PartnerSandbox
  env: Record<string, string>
}> {
  const [port, controlPort] = [await freePort(), await preferredOrFreePort(preferredSandboxPort())]
  return {
    sandbox: {
      url: `http://127.0.0.1:${port}`,
      controlUrl: `http://127.0.0.1:${controlPort}`,
      controlKey: options.pageKey,
    },
    env: {
      HOST: '127.0.0.1',
      PORT: String(port),
      CONTROL_PORT: String(controlPort),
      CONTROL_KEY: options.pageKey,
      IMAGE_ORIGIN: process.env.PRINT_IMAGE_ORIGIN || `http://127.0.0.1:${options.gatewayPort}`,
      SANDBOX_API_KEY: SANDBOX_CREDENTIALS.apiKey,
      SANDBOX_AFFILIATE_ID: SANDBOX_CREDENTIALS.affiliateId,
      LATENCY: process.env.SKYFOLIO_SANDBOX_LATENCY ?? 'realistic',
      DATA_FILE: join(options.dataDir, 'partner-sandbox.json'),
    },
  }
}
