export type { FaultRequest } from './state/faults.ts'

import { buildControl } from './control/control.ts'
import { Listener } from './listener.ts'
import { buildPartnerApi } from './partner-api.ts'
import { checkOrigin, DEFAULTS, type SandboxSettings } from './settings.ts'
import { SandboxState } from './state/state.ts'

export interface Sandbox {
  /** Of the partner API. */
  url: string
  /** Of control API and page. */
  controlUrl: string
  stop(): Promise<void>
}

/** Starts a sandbox in this process. Without options: on free ports of this machine, without latency and images. */
export async function startSandbox(options: Partial<SandboxSettings> = {}): Promise<Sandbox> {
  const settings = { ...DEFAULTS, ...options }
  if (settings.imageOrigin !== undefined) settings.imageOrigin = checkOrigin(settings.imageOrigin)
  const state = new SandboxState(settings)
  await state.load()
  const [api, control] = [buildPartnerApi(state), buildControl(state)]
  await Promise.all([api.ready(), control.ready()])
  const listeners = [
    new Listener(api, settings.host, settings.port),
    new Listener(control, settings.host, settings.controlPort),
  ] as const
  for (const listener of listeners) await listener.open()
  const [partnerPort, controlPort] = listeners
  state.faults.onChange(() => {
    const isOpen = !state.faults.refusesConnections
    partnerPort.set(isOpen).catch((error) => console.error('the partner port cannot be opened', error))
  })
  let isStopped = false
  return {
    url: urlOf(settings.host, partnerPort.port),
    controlUrl: urlOf(settings.host, controlPort.port),
    async stop() {
      if (isStopped) return
      isStopped = true
      await state.stop()
      for (const listener of listeners) await listener.set(false)
      await Promise.all([api.close(), control.close()])
    },
  }
}

function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
