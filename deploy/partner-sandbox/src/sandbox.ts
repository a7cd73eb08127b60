export type { FaultRequest } from './state/faults.ts'

import type { AddressInfo } from 'node:net'
import { buildControl } from './control/control.ts'
import { Listener } from './listener.ts'
import { buildPartnerApi } from './partner-api.ts'
import { DEFAULTS, type SandboxSettings } from './settings.ts'
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
  await Promise.all([api.ready(), control.listen({ host: settings.host, port: settings.controlPort })])
  const listener = new Listener(api, settings.host, settings.port)
  await listener.set(true)
  state.faults.onChange = () => {
    listener
      .set(!state.faults.refusesConnections)
      .catch((error) => console.error('the partner port cannot be opened', error))
  }
  let stopped: Promise<void> | undefined
  const stop = async () => {
    state.faults.onChange = () => {}
    await state.stop()
    control.server.closeAllConnections()
    await Promise.all([listener.set(false), control.close()])
    await api.close()
  }
  return {
    url: urlOf(settings.host, listener.port),
    controlUrl: urlOf(settings.host, (control.server.address() as AddressInfo).port),
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

function urlOf(host: string, port: number): string {
  const name = ['', '0.0.0.0'].includes(host) ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** @throws Error unless this is an origin like `https://example.com` */
function checkOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && text.replace(/\/$/, '') === url.origin) return url.origin
  throw new Error(`IMAGE_ORIGIN is "${text}"; it must be an origin like http://127.0.0.1:8080.`)
}
